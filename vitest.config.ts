import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { isSafeSqlite } from './hub/base/sqlite/sqlite_driver.js';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/** Faults, attacks and floods: minutes of them, apart from what one waits for at work. */
const LONG = [
  'test/gauntlet/**/*.test.ts',
  'test/properties/**/*.test.ts',
  'test/cli/repl/attacks/**/*.test.ts',
  'test/cli/repl/acp/**/*.test.ts',
  'test/cli/mcp/**/*.test.ts',
  'test/web/server/{live_page,live_turns,long_day,other_pages,codes,requests_from_elsewhere,requests_of_a_page}.test.ts',
  'test/cli/repl/screen/screen_failures_*.test.ts',
  'test/cli/repl/screen/screen_odd_terminals.test.ts',
  'test/cli/repl/terminal/screen_resize_storm.test.ts',
  'test/cli/repl/terminal/resize.test.ts',
  'test/cli/repl/terminal/screen_suspend.test.ts',
  'test/tools/file/path/{paths,swap}.test.ts',
  'test/tools/file/{edit,large_images,write}.test.ts',
  'test/tools/agents/{exchange,killed}.test.ts',
  'test/hub/start/left_work.test.ts',
  'test/tools/file/{read,resolve_file}.test.ts',
  'test/tools/file/path/copy_access.test.ts',
  'test/tools/bash/stored_results.test.ts',
  'test/cli/commands/{ask_ended,ask_images,branches,consult,context,conversations,output}.test.ts',
  'test/cli/output/terminal_look.test.ts',
  'test/cli/turn/refuse_inside_model.test.ts',
  'test/cli/repl/agents/screen_agents.test.ts',
  'test/cli/repl/commands/{conversations,moving}.test.ts',
  'test/cli/repl/navigator/surroundings.test.ts',
  'test/cli/repl/terminal/terminal.test.ts',
  'test/cli/repl/tree/go_to.test.ts',
  'test/cli/repl/writing/{edges,properties}.test.ts',
  'test/hub/agent/compaction/{branch_summary,compaction_carried}.test.ts',
  'test/hub/agent/turn/refused_images.test.ts',
  'test/tools/postgres/**/*.test.ts',
  'test/tools/http/fetch_url.test.ts',
  'test/cli/commands/{group,tools,compact,cost,exec,import,import_projects,race,race_terminal}.test.ts',
  'test/cli/repl/commands/{every_size,model_and_level,planning}.test.ts',
  'test/cli/repl/conversation/{conversation,conversation_scripts,wait_for_turn}.test.ts',
  'test/cli/repl/{navigator,picker}/screen_*.test.ts',
  'test/cli/repl/screen/large.test.ts',
  'test/cli/repl/writing/{pasting,remembering}.test.ts',
  'test/hub/agent/exports/transcripts.test.ts',
  'test/hub/agent/sub_sessions/sub_sessions.test.ts',
  'test/hub/agent/tools/{person_questions,resume_after_questions}.test.ts',
  'test/hub/agent/turn/{turn_ends,turn_people}.test.ts',
  'test/tools/bash/{contained,output}.test.ts',
  'test/path_joins.test.ts',
  'test/hub/agent/tools/project_watch.test.ts',
  'test/tools/private_git/**/*.test.ts',
  'test/tools/conformance.test.ts',
  'test/tools/round_trip.test.ts',
  'test/tools/bash/end_command.test.ts',
  'test/cli/commands/{share,answer,archived,copies,demo,exec_sandbox,export,own_agents,export_files,files,files_store,hub,import_sessions,open,spawn,transcripts,work}.test.ts',
  'test/cli/turn/{cloud_servers,server_presets}.test.ts',
  'test/cli/repl/commands/{files_along,own_folder,second_terminal}.test.ts',
  'test/cli/repl/conversation/run_commands.test.ts',
  'test/cli/repl/screen/{attention,newcomer,screen_modes,stopped_demo}.test.ts',
  'test/cli/{homes,commands/own_metadata}.test.ts',
  'test/hub/client/read_only_home.test.ts',
  'test/cli/repl/viewer/screen_*.test.ts',
  'test/docs/{console,screens,types}.test.ts',
  'test/tools/agents/**/*.test.ts',
  'test/cli/commands/{work,work_asks,work_with_models}.test.ts',
  'test/hub/agent/compaction/compact_path.test.ts',
  'test/hub/agent/exports/event_log.test.ts',
  'test/hub/agent/sub_sessions/sub_sessions_end.test.ts',
  'test/hub/agent/jobs/job_ends.test.ts',
  'test/hub/agent/turn/{bound_thinking,turn_cache}.test.ts',
  'test/hub/sharing/**/*.test.ts',
  'test/cli/sharing/**/*.test.ts',
  'test/hub/context/context_plugin.test.ts',
  'test/tools/files/{git_patch,scan_limits,transfer_packs}.test.ts',
  'test/loom/read/walk_path.test.ts',
  'test/loom/threads/read_scheduler.test.ts',
  'test/cli/repl/screen/screen_sentences.test.ts',
  'test/cli/repl/writing/outside.test.ts',
  'test/cli/repl/commands/{copy_and_output,quit,wrong_words}.test.ts',
  'test/cli/commands/{attach,demo_talk,exec_ended,other_folder,own_places}.test.ts',
  'test/cli/turn/own_servers.test.ts',
  'test/hub/agent/settings/{levels,project_plan}.test.ts',
  'test/web/page/{exported_page,hostile_texts,accessible}.test.ts',
];

/** `quick`: what is not long; `long`: the rest; everything when nothing is said. */
const part = process.env.TEST_PART;

const files = { include: part === 'long' ? LONG : ['test/**/*.test.ts'], exclude: part === 'quick' ? LONG : [] };
/** The storage over the SQLite that Node brings, beside everything over the package. */
const overOwn = {
  include: files.include === LONG ? LONG.filter((path) => path.startsWith('test/loom/')) : ['test/loom/**/*.test.ts'],
  exclude: files.exclude,
  name: 'node:sqlite',
  env: { COGNITION_SQLITE: 'node' },
};
const parts = [
  { extends: true as const, test: { ...files, name: 'all' } },
  { extends: true as const, test: overOwn },
];

export default defineConfig({
  define: { COGNITION_VERSION: JSON.stringify(version) },
  test: {
    ...(isSafeSqlite(process.versions.sqlite ?? '0') ? { projects: parts } : files),
    globalSetup: ['.dev/test_build.mjs'],
    // Tests start processes and measure nothing: limits only end what hangs.
    pool: 'forks',
    // They mostly wait for processes that they have started: on two cores the usual one at a time would idle half the time.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
  },
});
