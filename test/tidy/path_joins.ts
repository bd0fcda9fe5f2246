const TABLE = 'names of a table in the file';
const READ = 'names that were read from that folder';
const PERSON = 'a path that a person says, and that is meant';
const POLICY = 'a path that a model may say: the policy judges the file that is opened, not its name';
const WALK = 'one step of a walk that opens each folder by its handle and follows no link';
const GITFILE = 'what a `.git` file says, as git reads it: what is found there must point back, or is only looked at';
const LAST = 'the last part of a path, which is a name';
const OWN = 'made of an id or of the name of a file of ours';

/** How many joins of each file add something else than a literal or a parsed id to a folder, at most, and why that is safe. */
export const PATH_JOINS: Readonly<Record<string, { joins: number; because: string }>> = {
  'cli/demo/demo_project.ts': { joins: 1, because: TABLE },
  'cli/files/write_whole_file.ts': { joins: 3, because: LAST },
  'cli/output/pager.ts': { joins: 1, because: PERSON },
  'cli/position/repository.ts': { joins: 3, because: GITFILE },
  'cli/repl/editor/storage/draft.ts': { joins: 4, because: READ },
  'cli/repl/acp/session_updates.ts': {
    joins: 1,
    because: 'an editor is told which file a call names; nothing is opened by it',
  },
  'cli/transfer/history/session_openers.ts': {
    joins: 1,
    because: 'an id that was just made, and a folder without its slashes',
  },
  'cli/turn/session_turn.ts': {
    joins: 1,
    because: 'it is compared with the project, and the tools judge what they open',
  },
  'hub/agent/exports/transcript_file.ts': { joins: 1, because: OWN },
  'hub/agent/exports/transcript_writer.ts': { joins: 1, because: LAST },
  'hub/agent/exports/transcripts.ts': { joins: 2, because: `${PERSON}, or eight digits of an id` },
  'hub/agent/sub_sessions/child_grants.ts': { joins: 2, because: POLICY },
  'hub/agent/sub_sessions/output_file.ts': { joins: 1, because: LAST },
  'hub/client/read_only_home.ts': { joins: 3, because: `${LAST}, ${OWN}, and ${READ}` },
  'hub/home/socket_path.ts': { joins: 1, because: OWN },
  'loom/check/check_orphans.ts': { joins: 3, because: READ },
  'loom/outputs/output_path.ts': { joins: 2, because: 'the digits of a parsed SHA-256' },
  'loom/threads/backup_thread.ts': { joins: 11, because: `${READ}, and ${PERSON}` },
  'tools/agents/exchange/kept_speakers.ts': { joins: 2, because: `${READ}, and ${OWN}` },
  'tools/mcp/config/read_servers.ts': {
    joins: 3,
    because: 'names of configurations in a table here, below parsed folders',
  },
  'tools/mcp/connection/start_server.ts': { joins: 2, because: 'hexadecimal digits: a hash, and a marker made here' },
  'tools/agents/exchange/outside_plugin.ts': { joins: 1, because: TABLE },
  'tools/agents/exchange/run_records.ts': { joins: 2, because: READ },
  'tools/agents/process/agent_folders.ts': { joins: 2, because: 'an agent and a role, whose names are parsed' },
  'tools/process/find_program.ts': { joins: 1, because: 'the search path of the person' },
  'tools/agents/process/launch.ts': { joins: 1, because: OWN },
  'tools/bash/bash_plugin.ts': { joins: 1, because: OWN },
  'tools/bash/command_records.ts': { joins: 8, because: READ },
  'tools/bash/working_folder.ts': { joins: 1, because: POLICY },
  'tools/file/path/absolute_path.ts': { joins: 3, because: POLICY },
  'tools/file/path/file_target.ts': { joins: 7, because: WALK },
  'tools/file/path/replace_content.ts': { joins: 4, because: WALK },
  'tools/file/path/session_tmp.ts': { joins: 1, because: POLICY },
  'tools/files/transfer_folders.ts': { joins: 1, because: READ },
  'tools/files/worker/transfer_packs.ts': { joins: 1, because: READ },
  'tools/files/copy_folders.ts': { joins: 3, because: `${READ}, and ${TABLE}` },
  'tools/files/store/pack_problems.ts': { joins: 1, because: READ },
  'tools/files/store/pack_set.ts': { joins: 2, because: READ },
  'tools/file/path/path_errors.ts': { joins: 1, because: READ },
  'tools/file/project/project_text.ts': { joins: 1, because: 'only shown' },
  'tools/file/project/read_instructions.ts': {
    joins: 5,
    because: `${TABLE}, and what a file imports: resolved and judged like any path`,
  },
  'tools/file/project/skills.ts': { joins: 2, because: READ },
  'tools/private_git/git_job.ts': { joins: 1, because: TABLE },
  'tools/private_git/git_layout.ts': { joins: 6, because: `${TABLE}, ${READ}, and ${GITFILE}` },
  'tools/private_git/git_state.ts': { joins: 1, because: TABLE },
  'tools/private_git/person_git.ts': { joins: 1, because: TABLE },
  'tools/private_git/private_git.ts': { joins: 2, because: `a digest, and ${READ}` },
  'tools/private_git/receive_commits.ts': { joins: 1, because: TABLE },
  'tools/private_git/sync_in.ts': { joins: 2, because: TABLE },
  'tools/private_git/write_refs.ts': {
    joins: 7,
    because: `${TABLE}, packs by a pattern of hexadecimal digits, and names of refs as git lets them be`,
  },
  'tools/sandbox/forms/probe.ts': { joins: 5, because: TABLE },
  'tools/sandbox/linked_git.ts': { joins: 2, because: GITFILE },
  'tools/sandbox/machine.ts': { joins: 3, because: `${READ}, and ${TABLE}` },
  'tools/sandbox/mount_plan.ts': { joins: 1, because: TABLE },
  'tools/sandbox/mount_points.ts': { joins: 4, because: READ },
  'tools/sandbox/mounts_in_copy.ts': { joins: 3, because: TABLE },
  'tools/sandbox/nested_repositories.ts': { joins: 2, because: READ },
  'tools/sandbox/read_only_paths.ts': { joins: 2, because: TABLE },
  'tools/sandbox/sockets.ts': { joins: 2, because: READ },
  'tools/sandbox/tmp_mount_point.ts': { joins: 1, because: 'the last part of a folder of ours' },
  'tools/start/sessions_folder.ts': { joins: 2, because: OWN },
  'tools/walk/own_ignore_file.ts': { joins: 2, because: `${TABLE}, and what the person’s own .gitconfig names` },
  'tools/walk/repository.ts': { joins: 3, because: GITFILE },
  'tools/walk/resolve_below.ts': { joins: 2, because: WALK },
};
