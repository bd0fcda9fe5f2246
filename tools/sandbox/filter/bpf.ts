/** One instruction of a socket filter, as the kernel runs it over each system call; jumps go to labels further down. */
export type Instruction =
  | { do: 'load'; offset: number }
  | { do: 'and'; value: number }
  | { do: 'return'; value: number }
  | { do: 'label'; name: string }
  | { do: 'jump'; when: 'equal' | 'atLeast' | 'anyBit'; value: number; to: string };

const LOAD_WORD = 0x20;
const AND = 0x54;
const RETURN = 0x06;
const JUMPS = { equal: 0x15, atLeast: 0x35, anyBit: 0x45 } as const;
const INSTRUCTION_BYTES = 8;
/** A jump skips at most so many instructions. */
const SKIP_MAX = 255;

/** Assembles a filter: eight bytes for each instruction, in the byte order of the machine, which is little-endian where this runs. */
export function assemble(program: readonly Instruction[]): Buffer {
  const labels = new Map<string, number>();
  const steps: Exclude<Instruction, { do: 'label' }>[] = [];
  for (const instruction of program) {
    if (instruction.do === 'label') labels.set(instruction.name, steps.length);
    else steps.push(instruction);
  }
  const bytes = Buffer.alloc(steps.length * INSTRUCTION_BYTES);
  for (const [index, step] of steps.entries()) {
    const at = index * INSTRUCTION_BYTES;
    bytes.writeUInt16LE(codeOf(step), at);
    if (step.do === 'jump') bytes.writeUInt8(skipTo(step.to, index), at + 2);
    bytes.writeUInt32LE((step.do === 'load' ? step.offset : step.value) >>> 0, at + 4);
  }
  return bytes;

  function skipTo(name: string, from: number): number {
    const skip = (labels.get(name) ?? -1) - from - 1;
    if (skip >= 0 && skip <= SKIP_MAX) return skip;
    throw new RangeError(`no jump of ${skip} instructions to ${JSON.stringify(name)}`);
  }
}

function codeOf(step: Exclude<Instruction, { do: 'label' }>): number {
  if (step.do === 'jump') return JUMPS[step.when];
  if (step.do === 'load') return LOAD_WORD;
  return step.do === 'and' ? AND : RETURN;
}
