// What programs without schemas need to know of a method stands apart from these, so that zod stays out of their bundle. The
// method table includes it.

export interface CallFacts {
  /** When a call may be sent again after its answer was lost: `appended` is when it appends the node that it makes. */
  repeats: 'always' | 'appended' | 'never';
  /** The ids in its parameters that make a repeat the same call; who sends it makes those that are missing. `[]`: of each item. */
  ids: readonly string[];
  /** Whether it would lose something by being cut off, so that a hub waits for its end before it ends itself. */
  keepsHubBusy: boolean;
  /** Whether nothing in the home changes by it, so that it is served where the home can only be read. */
  onlyReads: boolean;
}

/** Done twice, it comes to the same. */
const PLAIN: CallFacts = { repeats: 'always', ids: [], keepsHubBusy: true, onlyReads: false };
/** It asks, and changes nothing. */
const READING: CallFacts = { ...PLAIN, onlyReads: true };
/** What it makes or does is done once for an id. */
const NAMED: CallFacts = { ...PLAIN, ids: ['id'] };
/** The tools know by its node what has been done: what is not appended might be done twice. */
const WHEN_APPENDED: CallFacts = { ...NAMED, repeats: 'appended' };
/** It is taken up again where it was, belongs to a process of the hub's own, or only asks how the hub is. */
const IN_PASSING: CallFacts = { ...PLAIN, keepsHubBusy: false };
const GLANCE: CallFacts = { ...IN_PASSING, onlyReads: true };
/** Done twice, it does more. */
const ONE_BY_ONE: CallFacts = { ...PLAIN, repeats: 'never' };
/** It means the hub, or the connection, that it is sent to: the next one is another. */
const ONCE: CallFacts = { ...GLANCE, repeats: 'never' };

/** The facts of every method; the method table refuses a method that has none here. */
export const CALL_FACTS = {
  'loom.tree_create': NAMED,
  'loom.tree_get': READING,
  'loom.tree_find': READING,
  'loom.tree_get_skeleton': READING,
  'loom.tree_get_shape': READING,
  'loom.tree_get_near': READING,
  'loom.tree_get_lines': READING,
  'loom.tree_list': READING,
  'loom.tree_fork': NAMED,
  'loom.tree_update': PLAIN,
  'loom.tree_archive': PLAIN,
  'loom.tree_restore': PLAIN,
  'loom.tree_purge': PLAIN,
  'loom.tree_export': READING,
  'loom.tree_import': PLAIN,
  'loom.mark_set': PLAIN,
  'loom.mark_list': READING,
  'loom.branch_archive': PLAIN,
  'loom.branch_restore': PLAIN,
  'loom.blob_write': PLAIN,
  'loom.blob_read': READING,

  'loom.node_create_text': NAMED,
  'loom.node_create_external': NAMED,
  'loom.step_create': { ...NAMED, ids: ['id', 'calls[].id'] },
  'loom.node_get': READING,
  'loom.node_get_many': READING,
  'loom.node_read_children': READING,
  'loom.node_check': READING,
  'loom.node_find': READING,
  'loom.node_get_children': READING,
  'loom.context_get_path': READING,
  'loom.context_list_leaves': READING,
  'loom.context_get_handles': READING,
  'loom.context_get_place': READING,
  'loom.context_get_settings': READING,
  'loom.settings_put': PLAIN,
  'loom.settings_trust': PLAIN,
  'loom.settings_get': READING,
  'loom.search': READING,
  'loom.watch': GLANCE,
  'loom.fsck': READING,
  'loom.backup': READING,

  'loom.turn_start': NAMED,
  'loom.turn_record_answer': PLAIN,
  'loom.turn_record_result': PLAIN,
  'loom.turn_commit_step': PLAIN,
  'loom.turn_end': PLAIN,
  'loom.turn_list': READING,
  'loom.input_add': NAMED,
  'loom.input_list': READING,
  'loom.input_take': PLAIN,
  'loom.input_drop': PLAIN,
  'loom.request_start': NAMED,
  'loom.request_end': PLAIN,
  'loom.request_list': READING,
  'loom.cost_shape': READING,
  'loom.cost_get': READING,

  'loom.copy_add': PLAIN,
  'loom.copy_list': READING,
  'loom.copy_remove': PLAIN,
  'loom.snapshot_add': PLAIN,
  'loom.snapshot_find': READING,
  'loom.snapshot_list': READING,
  'loom.snapshot_import': PLAIN,
  'loom.snapshot_roots': READING,
  'loom.snapshot_folders': READING,

  'loom.share_set': PLAIN,
  'loom.share_remove': PLAIN,
  'loom.share_list': READING,
  'loom.share_read': READING,
  'loom.share_apply': PLAIN,
  'loom.share_check': READING,

  'loom.turn_park': PLAIN,
  'loom.turn_answer': PLAIN,
  'loom.question_withdraw': PLAIN,
  'loom.turn_list_waiting': READING,
  'loom.turn_get': READING,

  'history.session_open': NAMED,
  'history.session_list': READING,
  'history.session_describe': READING,
  'history.search': READING,

  'sharing.remote_init': PLAIN,
  'sharing.remote_check': READING,
  'sharing.remote_fsck': PLAIN,
  'sharing.tree_list': READING,
  'sharing.share': PLAIN,
  'sharing.unshare': PLAIN,
  'sharing.list': READING,
  'sharing.sync': PLAIN,
  'sharing.follow': GLANCE,

  'context.resolve': READING,
  'context.render': READING,
  'context.model': READING,

  'agent.run': NAMED,
  'agent.compact': NAMED,
  'agent.answer': PLAIN,
  'agent.estimate': READING,
  'agent.check': READING,
  'agent.instructions_list': READING,
  'agent.plan_get': READING,
  'agent.follow': GLANCE,
  'agent.stop': PLAIN,
  'agent.steer': NAMED,
  'agent.status': READING,
  'agent.providers': READING,
  'agent.models': READING,
  'agent.model_check': PLAIN,
  'agent.key_give': PLAIN,
  'agent.permission_list': READING,
  'agent.permission_withdraw': PLAIN,
  'agent.job_list': READING,
  'agent.job_read': PLAIN,
  'agent.job_stop': PLAIN,

  'bash.open': PLAIN,
  'bash.execute': WHEN_APPENDED,
  'bash.cancel': PLAIN,
  'bash.close': PLAIN,
  'bash.list': READING,
  'bash.follow': IN_PASSING,
  'bash.read': IN_PASSING,
  'file.read': NAMED,
  'file.write': NAMED,
  'file.edit': WHEN_APPENDED,
  'file.change_preview': PLAIN,
  'file.command_list': READING,
  'file.path_resolve': READING,
  'file.project_list': GLANCE,
  'file.project_measure': GLANCE,
  'file.project_read': READING,
  'http.fetch': NAMED,
  'postgres.query': NAMED,
  'git.watch': PLAIN,
  'git.take_over': PLAIN,
  'git.status': READING,
  'git.undo': ONE_BY_ONE,
  'git.take': PLAIN,
  'outside.run': PLAIN,
  'outside.answer': PLAIN,
  'outside.say': ONE_BY_ONE,
  'outside.list': READING,
  'outside.choose_agent': PLAIN,
  'mcp.server_list': PLAIN,
  'mcp.server_grant': PLAIN,
  'mcp.tool_list': PLAIN,
  'mcp.tool_call': ONE_BY_ONE,
  'outside.login_command': PLAIN,
  'files.snapshot': PLAIN,
  'files.settle': PLAIN,
  'files.status': READING,
  'files.diff': READING,
  'files.count': PLAIN,
  'files.plan': PLAIN,
  'files.restore': ONE_BY_ONE,
  'files.move': ONE_BY_ONE,
  'files.take': ONE_BY_ONE,
  'files.repair': PLAIN,
  'files.export_begin': ONE_BY_ONE,
  'files.export_read': PLAIN,
  'files.import_begin': ONE_BY_ONE,
  'files.import_write': PLAIN,
  'files.import_check': PLAIN,
  'files.import_end': PLAIN,
  'files.transfer_drop': PLAIN,
  'files.copy_make': ONE_BY_ONE,
  'files.copy_go_on': ONE_BY_ONE,
  'files.copy_list': READING,
  'files.copy_remove': PLAIN,
  'files.undo': ONE_BY_ONE,
  'files.check': PLAIN,
  'files.sweep': PLAIN,
  'tools.check': READING,

  'plugins.serve': IN_PASSING,
  'plugins.emit': IN_PASSING,
  'plugins.answer': IN_PASSING,

  'health.check': GLANCE,
  'health.stop': ONCE,
  'rpc.discover': GLANCE,
  'rpc.cancel': ONCE,
} satisfies Record<string, CallFacts>;
