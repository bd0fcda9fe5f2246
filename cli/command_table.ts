import { acpCommand } from './acp_command.js';
import { chatCommand } from './chat_command.js';
import type { Command, CommandGroup } from './command_line/command.js';
import { addCommand } from './commands/add.js';
import { agentsCommand } from './commands/agents.js';
import { answerCommand } from './commands/answer.js';
import { askCommand } from './commands/ask.js';
import { attachCommand } from './commands/attach.js';
import { backupCommand } from './commands/backup.js';
import { branchesCommand } from './commands/branches.js';
import { compactCommand } from './commands/compact.js';
import { compareCommand } from './commands/compare.js';
import { completionCommand } from './commands/completion.js';
import { configGroup } from './commands/config.js';
import { consultCommand } from './commands/consult.js';
import { contextCommand } from './commands/context.js';
import { costCommand } from './commands/cost.js';
import { deleteCommand } from './commands/delete.js';
import { demoCommand } from './commands/demo.js';
import { doctorCommand } from './commands/doctor.js';
import { execCommand } from './commands/exec.js';
import { exportCommand } from './commands/export.js';
import { filesGroup } from './commands/files.js';
import { forkCommand } from './commands/fork.js';
import { fsckCommand } from './commands/fsck.js';
import { gitGroup } from './commands/git.js';
import { groupCommand } from './commands/group.js';
import { hubGroup } from './commands/hub.js';
import { importCommand } from './commands/import.js';
import { jobsCommand } from './commands/jobs.js';
import { leavesCommand } from './commands/leaves.js';
import { listCommand } from './commands/list.js';
import { logCommand } from './commands/log.js';
import { manCommand } from './commands/man.js';
import { markCommand } from './commands/mark.js';
import { mcpCommand } from './commands/mcp.js';
import { mergeCommand } from './commands/merge.js';
import { modelsCommand } from './commands/models.js';
import { newCommand } from './commands/new.js';
import { openCommand } from './commands/open.js';
import { outputCommand } from './commands/output.js';
import { permissionsCommand } from './commands/permissions.js';
import { pickCommand } from './commands/pick.js';
import { tokensCommand } from './commands/project_tokens.js';
import { pullCommand } from './commands/pull.js';
import { purgeCommand } from './commands/purge.js';
import { pushCommand } from './commands/push.js';
import { raceCommand } from './commands/race.js';
import { remoteGroup } from './commands/remote.js';
import { renameCommand } from './commands/rename.js';
import { restoreCommand } from './commands/restore.js';
import { searchCommand } from './commands/search.js';
import { sessionsCommand } from './commands/sessions.js';
import { shareCommand } from './commands/share.js';
import { showCommand } from './commands/show.js';
import { spawnCommand } from './commands/spawn.js';
import { syncCommand } from './commands/sync.js';
import { takeCommand } from './commands/take.js';
import { toolsCommand } from './commands/tools.js';
import { unshareCommand } from './commands/unshare.js';
import { useCommand } from './commands/use.js';
import { webCommand } from './commands/web.js';
import { workCommand } from './commands/work.js';
import { workerCommand } from './commands/worker.js';
import { workersCommand } from './commands/workers.js';

/** Every command there is, in the order in which the help lists them. */
export const COMMANDS: readonly (Command | CommandGroup)[] = [
  chatCommand,
  newCommand,
  listCommand,
  useCommand,
  showCommand,
  addCommand,
  askCommand,
  answerCommand,
  consultCommand,
  groupCommand,
  spawnCommand,
  workCommand,
  agentsCommand,
  execCommand,
  jobsCommand,
  permissionsCommand,
  modelsCommand,
  attachCommand,
  outputCommand,
  contextCommand,
  branchesCommand,
  leavesCommand,
  forkCommand,
  compareCommand,
  raceCommand,
  pickCommand,
  takeCommand,
  mergeCommand,
  markCommand,
  searchCommand,
  sessionsCommand,
  tokensCommand,
  toolsCommand,
  logCommand,
  costCommand,
  compactCommand,
  renameCommand,
  deleteCommand,
  restoreCommand,
  purgeCommand,
  exportCommand,
  importCommand,
  openCommand,
  webCommand,
  shareCommand,
  syncCommand,
  pushCommand,
  pullCommand,
  unshareCommand,
  workerCommand,
  workersCommand,
  backupCommand,
  fsckCommand,
  doctorCommand,
  demoCommand,
  acpCommand,
  mcpCommand,
  remoteGroup,
  filesGroup,
  gitGroup,
  hubGroup,
  configGroup,
  completionCommand(() => COMMANDS),
  manCommand(() => COMMANDS),
];
