import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { assemble } from '../../../tools/sandbox/filter/bpf.js';
import { callFilter } from '../../../tools/sandbox/filter/call_filter.js';
import { KERNEL_NAMES, numberOf, type Processor, type SystemCall } from '../../../tools/sandbox/filter/system_calls.js';
import { FORBIDDEN_CALLS, perlCall } from '../../support/forbidden_calls.js';
import { tries } from '../../support/mounts.js';
import { KINDS, withSandbox } from './contained.js';

const [ALLOW, KILL, REFUSE] = [0x7fff0000, 0x80000000, 0x50000];
const [EPERM, ENOSYS, EPROTONOSUPPORT, EAFNOSUPPORT] = [1, 38, 93, 97];

test('a program becomes eight bytes for each instruction, and jumps count what they skip', () => {
  const bytes = assemble([
    { do: 'load', offset: 4 },
    { do: 'jump', when: 'equal', value: 0xc000003e, to: 'end' },
    { do: 'and', value: 0xff },
    { do: 'jump', when: 'anyBit', value: 0x80, to: 'end' },
    { do: 'jump', when: 'atLeast', value: 9, to: 'end' },
    { do: 'return', value: 0x50001 },
    { do: 'label', name: 'end' },
    { do: 'return', value: ALLOW },
  ]);
  expect(bytes.toString('hex').match(/.{16}/g)).toEqual([
    ...['2000000004000000', '150004003e0000c0', '54000000ff000000', '4500020080000000'],
    ...['3500010009000000', '0600000001000500', '060000000000ff7f'],
  ]);
});

test('a jump upwards, too far, or to nowhere is no program', () => {
  const jump = { do: 'jump', when: 'equal', value: 1, to: 'there' } as const;
  const label = { do: 'label', name: 'there' } as const;
  const step = { do: 'return', value: 0 } as const;
  expect(() => assemble([jump])).toThrow('there');
  expect(() => assemble([label, step, jump])).toThrow('there');
  expect(() => assemble([jump, ...Array.from({ length: 256 }, () => step), label, step])).toThrow('256');
  expect(assemble([jump, ...Array.from({ length: 255 }, () => step), label, step])).toHaveLength(257 * 8);
});

/** Runs a filter as the kernel would. */
function verdict(filter: Buffer, call: { kernel: number; number: number; arguments?: readonly number[] }): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.number >>> 0, 0);
  data.writeUInt32LE(call.kernel, 4);
  for (const [index, value] of (call.arguments ?? []).entries()) data.writeUInt32LE(value >>> 0, 16 + 8 * index);
  let accumulator = 0;
  for (let at = 0; ; at += 8) {
    const value = filter.readUInt32LE(at + 4);
    const code = filter.readUInt16LE(at);
    if (code === 0x06) return value;
    if (code === 0x20) accumulator = data.readUInt32LE(value);
    else if (code === 0x54) accumulator = (accumulator & value) >>> 0;
    else {
      const holds = { 21: accumulator === value, 53: accumulator >= value, 69: (accumulator & value) !== 0 }[code];
      at += 8 * filter.readUInt8(at + (holds ? 2 : 3));
    }
  }
}

const RULES: readonly (readonly [SystemCall, readonly number[], number])[] = [
  ...(
    ['ptrace', 'process_vm_readv', 'keyctl', 'bpf', 'mount', 'setns', 'open_by_handle_at', 'kexec_load'] as const
  ).map((call) => [call, [], REFUSE | EPERM] as const),
  ...(['io_uring_setup', 'clone3'] as const).map((call) => [call, [], REFUSE | ENOSYS] as const),
  ['clone', [0x01200011], ALLOW],
  ['clone', [0x003d0f00], ALLOW],
  ['clone', [0x10000011], REFUSE | EPERM],
  ['clone', [0x00020011], REFUSE | EPERM],
  ['unshare', [0x400], ALLOW],
  ['unshare', [0x40000000], REFUSE | EPERM],
  ['unshare', [0x80], REFUSE | EPERM],
  ['socket', [1, 1, 0], ALLOW],
  ['socket', [10, 1, 6], ALLOW],
  ['socket', [16, 3, 0], ALLOW],
  ['socket', [16, 3, 12], REFUSE | EPROTONOSUPPORT],
  ['socket', [40, 1, 0], REFUSE | EAFNOSUPPORT],
  ['socketpair', [1, 1, 0], ALLOW],
  ['socketpair', [30, 1, 0], REFUSE | EAFNOSUPPORT],
  ['ioctl', [0, 0x5413], ALLOW],
  ['ioctl', [0, 0x5412], REFUSE | EPERM],
  ['fchmod', [3, 0o755], ALLOW],
  ['fchmod', [3, 0o2755], ALLOW],
  ['fchmod', [3, 0o4755], REFUSE | EPERM],
  ['fchmodat', [3, 0, 0o4755], REFUSE | EPERM],
  ['seccomp', [1, 0, 0], ALLOW],
  ['prctl', [38, 1], ALLOW],
];

test.each(['x64', 'arm64'] satisfies Processor[])('on %s each call gets its verdict', (processor) => {
  const filter = callFilter(processor);
  const kernel = KERNEL_NAMES[processor];
  for (const [call, given, expected] of RULES) {
    const number = numberOf(call, processor);
    if (number === null) continue;
    const name = `${call} ${given.map((one) => one.toString(16)).join(' ')}`;
    expect([name, verdict(filter, { kernel, number, arguments: given })]).toEqual([name, expected]);
  }
  // read, and a call that no kernel has yet.
  expect([0, 63, 9_999].map((number) => verdict(filter, { kernel, number }))).toEqual([ALLOW, ALLOW, ALLOW]);
  const other = KERNEL_NAMES[processor === 'x64' ? 'arm64' : 'x64'];
  expect([other, 0x40000003, 0].map((one) => verdict(filter, { kernel: one, number: 0 }))).toEqual([KILL, KILL, KILL]);
  if (processor === 'x64') expect(verdict(filter, { kernel, number: 0x40000000 | 39 })).toBe(REFUSE | ENOSYS);
});

const COMPILER = 'gcc';
const onX64 = process.arch === 'x64' && tries('perl', ['-e', '1']);
const isRoot = process.getuid?.() === 0;

/** Each in a process of its own: some change it. */
const TRY_ALL = FORBIDDEN_CALLS.map(
  (one) => `perl -e '${perlCall(one)} print "${one.call} ", $r < 0 ? $! + 0 : "done", "\n"' </dev/null`,
).join('\n');
const EXPECTED = FORBIDDEN_CALLS.map(({ call, errno }) => `${call} ${errno}`);

describe.each(KINDS)('%s', (kind) => {
  test.runIf(onX64)('each forbidden call is refused inside, as programs expect it', () =>
    withSandbox(kind, async ({ run }) => {
      expect((await run(TRY_ALL)).out.trim().split('\n')).toEqual(EXPECTED);
      expect((await run('perl -e \'print 0 + syscall(0x40000027) < 0 ? $! + 0 : "done"\'')).out).toBe(String(ENOSYS));
    }),
  );

  test.runIf(tries(COMPILER, ['--version']) && process.arch === 'x64')('calls of 32 bits end the process', (context) =>
    withSandbox(kind, async ({ run, project }) => {
      const program = join(project, 'old');
      const source = 'int main() { long r; __asm__ volatile("int $0x80" : "=a"(r) : "a"(20)); return r > 0 ? 5 : 6; }';
      expect(spawnSync(COMPILER, ['-x', 'c', '-', '-o', program], { input: source }).status).toBe(0);
      if (spawnSync(program).status !== 5) return context.skip('this kernel takes no calls of 32 bits');
      expect((await run('./old')).code).toBe(128 + 31);
    }),
  );

  test('the set-user bit is refused, every other bit is not', () =>
    withSandbox(kind, async ({ run }) => {
      const { out, err } = await run(
        ': >f; chmod 4755 f || echo held; chmod 2755 f && chmod +t . && chmod 640 f && stat -c %a f',
      );
      expect([out, err]).toEqual(['held\n640\n', expect.stringContaining('Operation not permitted')]);
    }));

  test('no descriptor of the filter is left open', () =>
    withSandbox(kind, async ({ run }) => {
      expect((await run('ls -l /proc/self/fd')).out).not.toContain('call-filter');
    }));

  test.each([
    [
      'node',
      `node -e 'new (require("worker_threads").Worker)("require(\\"fs\\").promises.readFile(\\"/etc/passwd\\")", { eval: true }).on("exit", () => console.log("done"))'`,
    ],
    ['npm', 'npm install --offline --no-audit ./dep >/dev/null && [ -e node_modules/dep ] && echo done'],
    ['git', 'git clone -q . ../project/copy 2>/dev/null; git --version >/dev/null && echo done'],
    [
      'python3',
      '/usr/bin/python3 -c \'import subprocess, threading; threading.Thread(target=lambda: subprocess.run(["echo", "done"])).start()\'',
    ],
    ['make', 'printf "all:\\n\\t@echo done\\n" >Makefile && make -j4'],
    ['gcc', 'echo "int main() { return 0; }" >a.c && gcc -pthread a.c -o a && ./a && echo done'],
    ['tar', 'mkdir -p t && tar cf t.tar t && tar xpf t.tar && echo done'],
    [
      'cargo',
      'cargo init -q --vcs none box && cd box && cargo build -q --offline && ./target/debug/box >/dev/null && echo done',
    ],
    ['ip', 'ip address >/dev/null && echo done'],
  ])('%s works under the filter', async (tool, script) => {
    const outside = tries('bash', ['-c', `[ -x /usr/bin/${tool} ] || [ -x /bin/${tool} ]`]);
    if (!outside) return;
    await withSandbox(kind, async ({ run, project }) => {
      mkdirSync(join(project, 'dep'));
      writeFileSync(join(project, 'dep/package.json'), '{"name":"dep","version":"1.0.0"}');
      writeFileSync(join(project, 'package.json'), '{"name":"own","version":"1.0.0"}');
      expect(await run(`export npm_config_cache=/tmp/npm; ${script}`)).toMatchObject({ out: 'done\n', code: 0 });
      expect(existsSync(project)).toBe(true);
    });
  });
});

test.runIf(onX64 && isRoot)('outside, as a control, none of these calls is refused like that', () => {
  const { stdout } = spawnSync('bash', ['-c', TRY_ALL], { encoding: 'utf8' });
  const said = stdout.trim().split('\n');
  const alike = EXPECTED.filter((line, index) => said[index] === line);
  expect([said.length, alike]).toEqual([FORBIDDEN_CALLS.length, []]);
});
