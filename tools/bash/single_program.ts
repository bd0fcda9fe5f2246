/** Builtins and keywords of bash; any other first word of a command is a program. */
const OWN_WORDS = new Set(
  [
    '. : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo',
    'enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf',
    'pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit',
    'umask unalias unset wait',
    'if then elif else fi time for in until while do done case esac coproc select function',
  ]
    .join(' ')
    .split(' '),
);

const WORD_CHARACTERS_MAX = 1_000;
const PROGRAM = /^[ \t]*([\w./+-]+)/;
/** Words without anything that bash would expand. */
const PLAIN_WORDS = /^(?:[\w./:@%+,=\- \t]|'[^']*'|"[^"$`\\!]*")*$/;

/**
 * Whether a command is one program with plain arguments. Without a trap, bash execs that program instead of waiting for
 * it, so that a signal that ends it is seen as such; and a program changes neither the shell's folder nor its variables.
 */
export function isOneProgram(command: string, environment: Readonly<Record<string, string>>): boolean {
  if (command.length > WORD_CHARACTERS_MAX) return false;
  const [start = '', program = ''] = PROGRAM.exec(command) ?? [];
  if (program === '' || OWN_WORDS.has(program) || `BASH_FUNC_${program}%%` in environment) return false;
  const rest = command.slice(start.length);
  return /^(?:$|[ \t])/.test(rest) && PLAIN_WORDS.test(rest);
}
