import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drawn } from './drawing.js';
import { readFolder, SAMPLES } from './reading.js';

async function picture(name: string, folder: string): Promise<string> {
  const { histories, problems } = await readFolder(name, join(SAMPLES, folder));
  expect(problems.every((one) => JSON.stringify(one) === NONE)).toBe(true);
  return `\n${drawn(name, histories).join('\n')}\n`;
}

const NONE = JSON.stringify({ broken: 0, tooLong: 0, cut: false, orphans: 0, missingBase: null });

test('sessions of Claude Code: attachments are passed over, a fork and a branch in the same file are joined, a summary stands for what was before', async () => {
  expect(await picture('claude', 'claude/projects')).toBe(`
root:
user: first question
assistant: MOCK-REPLY n=2 to: first questio
  user: [[tool:ls; echo err >&2; exit 3]
  assistant: <Bash>
  tool: Exit code 3 err [3]
  assistant: MOCK-DONE tool said: Exit code 3
  user: [[call:Write {"file_path":"/srv/
  assistant: <Write>
  tool: File created successfully at: /s [0]
  assistant: <Read>
  tool: 1 one 2 [0]
  assistant: <Edit>
  tool: The file /srv/project/a.txt has [0]
  assistant: MOCK-DONE after 3 calls; last sa
  user: look at this picture (image)
  assistant: MOCK-REPLY n=16 to: mp-claude/00
  user: [[call:Agent {"description":"cou
  assistant: <Agent>
  tool: Async agent launched successfull [0]
  assistant: MOCK-DONE after 1 calls; last sa
  user: <task-notification> <task-id>aca
  assistant: MOCK-DONE after 1 calls; last sa
  user: an alternative second question,
  assistant: MOCK-REPLY n=4 to: an alternativ
  user: never answers [[hang]]
  user: x [[401]]
  summary: This session is being continued
  user: after the compaction
  assistant: MOCK-REPLY n=2 to: after the com
  user: an alternative second question,
  assistant: MOCK-REPLY n=4 to: an alternativ
root:
user: sub agent task: count the files
assistant: MOCK-REPLY n=2 to: sub agent tas
`);
});

test('sessions of Codex: nothing stands twice, a fork goes on from the file that it points at', async () => {
  expect(await picture('codex', 'codex')).toBe(`
root:
user: first question
assistant: MOCK-REPLY n=4 to: first questio
  user: [[tool:ls; exit 3]]
  assistant: <exec_command>
  tool: Chunk ID: 485c15 Wall time: 0.07 [3]
  assistant: MOCK-DONE tool said: Chunk ID: 4
  user: [[tool:printf "*** Begin Patch\\n
  assistant: <exec_command>
  tool: Chunk ID: 0a5de3 Wall time: 0.00 [0]
  assistant: MOCK-DONE tool said: Chunk ID: 0
  user: look at this picture (image)
  assistant: MOCK-REPLY n=14 to: e=[Image #1]
  user: [[call:spawn_agent {"message":"s
  assistant: <spawn_agent>
  tool: {"agent_id":"01a1f246-12f0-7610- [0]
  assistant: MOCK-DONE after 1 calls; last sa
  user: <subagent_notification> {"agent_
  assistant: MOCK-REPLY n=20 to: sub agent ta
  user: never answers [[hang]]
  user: x [[401]]
  summary: Another language model started t
  user: after the compaction
  assistant: MOCK-REPLY n=12 to: after the co
  user: an alternative second question,
  assistant: MOCK-REPLY n=8 to: an alternativ
root:
user: sub agent task: count the files
assistant: MOCK-REPLY n=4 to: sub agent tas
`);
});

test('sessions of Gemini CLI: lists that are given again add nothing, a rewind is a branch', async () => {
  expect(await picture('gemini', 'gemini/tmp')).toBe(`
root:
user: first question
assistant: MOCK-REPLY n=1 to: project/ └───
user: [[tool:ls; exit 3]]
assistant: <run_shell_command>
tool: <untrusted_context> Output: p.pn [3]
assistant: MOCK-DONE tool said: {"output":"
user: [[call:write_file {"file_path":"
assistant: <write_file>
tool: Successfully created and wrote t [0]
assistant: <replace>
tool: Successfully modified file: /srv [0]
assistant: MOCK-DONE after 2 calls; last sa
user: look at @p.png --- Content from (image)
assistant: MOCK-REPLY n=13 to: --- Content
user: [[call:invoke_agent {"agent_name
assistant: <invoke_agent>
tool: Subagent 'generalist' finished. [0]
assistant: MOCK-DONE after 1 calls; last sa
  user: x [[401]]
  user: /compress
  assistant: MOCK-REPLY n=19 to: /compress
  user: after
  assistant: MOCK-REPLY n=19 to: after
root:
user: sub agent task: count the files
assistant: MOCK-REPLY n=1 to: sub agent tas
user: You have stopped calling tools w
assistant: MOCK-REPLY n=3 to: investigation
`);
});

test('sessions of opencode: a fork has other ids and the same times, which join it', async () => {
  expect(await picture('opencode', 'opencode')).toBe(`
root:
user: first question
assistant: MOCK-REPLY n=2 to: first questio
  user: an alternative second question,
  assistant: MOCK-REPLY n=4 to: an alternativ
  user: [[tool:ls; exit 3]]
  assistant: <bash>
  tool: p.png [3]
  assistant: MOCK-DONE tool said: p.png
  user: [[call:write {"filePath":"/srv/p
  assistant: <write>
  tool: Wrote file successfully. [0]
  assistant: <edit>
  tool: Edit applied successfully. [0]
  assistant: MOCK-DONE after 2 calls; last sa
  user: look at this picture (image)
  assistant: MOCK-REPLY n=14 to: (this model
  user: [[call:task {"description":"coun
  assistant: <task>
  tool: <task id="ses_e0db98162ffe8W61Fn [0]
  assistant: MOCK-DONE after 1 calls; last sa
  user: never [[hang]]
  user: x [[401]]
  summary: MOCK-NOTOOL write; tools:
  user: after the compaction
  assistant: MOCK-REPLY n=4 to: after the com
root:
user: sub agent task: count the files
assistant: MOCK-REPLY n=2 to: sub agent tas
`);
});

test('sessions of pi: entries, a command of the person, a summary, a fork', async () => {
  expect(await picture('pi', 'pi/sessions')).toBe(`
root:
user: first question
assistant: MOCK-REPLY n=2 to: first questio
  user: [[tool:ls; exit 3]]
  assistant: <bash>
  tool: p.png Command exited with code 3 [3]
  assistant: MOCK-DONE tool said: p.png Comma
  user: [[call:write {"path":"a.txt","co
  assistant: <write>
  tool: Successfully wrote 4 bytes to a. [0]
  assistant: <edit>
  tool: Successfully replaced 1 block(s) [0]
  assistant: MOCK-DONE after 2 calls; last sa
  user: look at this picture (image)
  assistant: MOCK-REPLY n=14 to: look at this
  tool: mine [0]
  user: never [[hang]]
  user: x [[401]]
  summary: MOCK-REPLY n=2 to: eserve exact
  user: after the compaction
  assistant: MOCK-REPLY n=9 to: after the com
  user: an alternative second question,
  assistant: MOCK-REPLY n=4 to: an alternativ
`);
});
