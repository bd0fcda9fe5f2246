// What programs without schemas need to know of a method stands apart from these, so that zod stays out of their bundle. The
// method table includes it.

export interface CallFacts {
  /** When a call may be sent again after its answer was lost: `appended` is when it appends the node that it makes. */
  repeats: 'always' | 'appended' | 'never';
  /** The ids in its parameters that make a repeat the same call; who sends it makes those that are missing. `[]`: of each item. */
  ids: readonly string[];
  /** Whether it would lose something by being cut off, so that a hub waits for its end before it ends itself. */
  keepsHubBusy: boolean;
}

/** Done twice, it comes to the same. */
const PLAIN: CallFacts = { repeats: 'always', ids: [], keepsHubBusy: true };
/** What it makes or does is done once for an id. */
const NAMED: CallFacts = { ...PLAIN, ids: ['id'] };
/** The tools know by its node what has been done: what is not appended might be done twice. */
const WHEN_APPENDED: CallFacts = { ...NAMED, repeats: 'appended' };
/** It is taken up again where it was, belongs to a process of the hub's own, or only asks how the hub is. */
const IN_PASSING: CallFacts = { ...PLAIN, keepsHubBusy: false };
/** Done twice, it does more. */
const ONE_BY_ONE: CallFacts = { ...PLAIN, repeats: 'never' };
/** It means the hub, or the connection, that it is sent to: the next one is another. */
const ONCE: CallFacts = { ...IN_PASSING, repeats: 'never' };

/** The facts of every method; the method table refuses a method that has none here. */
export const CALL_FACTS = {
  'loom.tree_create': NAMED,
  'loom.tree_get': PLAIN,
  'loom.tree_find': PLAIN,
  'loom.tree_get_skeleton': PLAIN,
  'loom.tree_get_shape': PLAIN,
  'loom.tree_get_near': PLAIN,
  'loom.tree_get_lines': PLAIN,
  'loom.tree_list': PLAIN,
  'loom.tree_fork': NAMED,
  'loom.tree_update': PLAIN,
  'loom.tree_archive': PLAIN,
  'loom.tree_restore': PLAIN,
  'loom.tree_purge': PLAIN,
  'loom.tree_export': PLAIN,
  'loom.tree_import': PLAIN,
  'loom.mark_set': PLAIN,
  'loom.mark_list': PLAIN,
  'loom.branch_archive': PLAIN,
  'loom.branch_restore': PLAIN,
  'loom.blob_write': PLAIN,
  'loom.blob_read': PLAIN,

  'loom.node_create_text': NAMED,
  'loom.node_create_external': NAMED,
  'loom.step_create': { ...NAMED, ids: ['id', 'calls[].id'] },
  'loom.node_get': PLAIN,
  'loom.node_get_many': PLAIN,
  'loom.node_read_children': PLAIN,
  'loom.node_check': PLAIN,
  'loom.node_find': PLAIN,
  'loom.node_get_children': PLAIN,
  'loom.context_get_path': PLAIN,
  'loom.context_list_leaves': PLAIN,
  'loom.context_get_handles': PLAIN,
  'loom.context_get_place': PLAIN,
  'loom.context_get_settings': PLAIN,
  'loom.settings_put': PLAIN,
  'loom.settings_trust': PLAIN,
  'loom.settings_get': PLAIN,
  'loom.search': PLAIN,
  'loom.watch': IN_PASSING,
  'loom.fsck': PLAIN,
  'loom.backup': PLAIN,

  'loom.turn_start': NAMED,
  'loom.turn_record_answer': PLAIN,
  'loom.turn_record_result': PLAIN,
  'loom.turn_commit_step': PLAIN,
  'loom.turn_end': PLAIN,
  'loom.turn_list': PLAIN,
  'loom.input_add': NAMED,
  'loom.input_list': PLAIN,
  'loom.input_take': PLAIN,
  'loom.input_drop': PLAIN,
  'loom.request_start': NAMED,
  'loom.request_end': PLAIN,
  'loom.request_list': PLAIN,
  'loom.cost_shape': PLAIN,
  'loom.cost_get': PLAIN,

  'loom.copy_add': PLAIN,
  'loom.copy_list': PLAIN,
  'loom.copy_remove': PLAIN,
  'loom.snapshot_add': PLAIN,
  'loom.snapshot_find': PLAIN,
  'loom.snapshot_roots': PLAIN,
  'loom.snapshot_folders': PLAIN,

  'loom.turn_park': PLAIN,
  'loom.turn_answer': PLAIN,
  'loom.question_withdraw': PLAIN,
  'loom.turn_list_waiting': PLAIN,
  'loom.turn_get': PLAIN,

  'history.session_open': NAMED,
  'history.session_list': PLAIN,
  'history.session_describe': PLAIN,
  'history.search': PLAIN,

  'context.resolve': PLAIN,
  'context.render': PLAIN,
  'context.model': PLAIN,

  'agent.run': NAMED,
  'agent.compact': NAMED,
  'agent.answer': PLAIN,
  'agent.estimate': PLAIN,
  'agent.check': PLAIN,
  'agent.instructions_list': PLAIN,
  'agent.plan_get': PLAIN,
  'agent.follow': IN_PASSING,
  'agent.stop': PLAIN,
  'agent.steer': NAMED,
  'agent.status': PLAIN,
  'agent.providers': PLAIN,
  'agent.models': PLAIN,
  'agent.model_check': PLAIN,
  'agent.key_give': PLAIN,
  'agent.permission_list': PLAIN,
  'agent.permission_withdraw': PLAIN,
  'agent.job_list': PLAIN,
  'agent.job_read': PLAIN,
  'agent.job_stop': PLAIN,

  'bash.open': PLAIN,
  'bash.execute': WHEN_APPENDED,
  'bash.cancel': PLAIN,
  'bash.close': PLAIN,
  'bash.list': PLAIN,
  'bash.follow': IN_PASSING,
  'bash.read': IN_PASSING,
  'file.read': NAMED,
  'file.write': NAMED,
  'file.edit': WHEN_APPENDED,
  'file.change_preview': PLAIN,
  'file.command_list': PLAIN,
  'file.path_resolve': PLAIN,
  'file.project_list': IN_PASSING,
  'file.project_measure': IN_PASSING,
  'file.project_read': PLAIN,
  'http.fetch': NAMED,
  'postgres.query': NAMED,
  'git.watch': PLAIN,
  'git.take_over': PLAIN,
  'git.status': PLAIN,
  'git.undo': ONE_BY_ONE,
  'git.take': PLAIN,
  'outside.run': PLAIN,
  'outside.answer': PLAIN,
  'outside.say': ONE_BY_ONE,
  'outside.list': PLAIN,
  'outside.choose_agent': PLAIN,
  'outside.login_command': PLAIN,
  'files.snapshot': PLAIN,
  'files.settle': PLAIN,
  'files.status': PLAIN,
  'files.diff': PLAIN,
  'files.count': PLAIN,
  'files.plan': PLAIN,
  'files.restore': ONE_BY_ONE,
  'files.move': ONE_BY_ONE,
  'files.take': ONE_BY_ONE,
  'files.copy_make': ONE_BY_ONE,
  'files.copy_list': PLAIN,
  'files.copy_remove': PLAIN,
  'files.undo': ONE_BY_ONE,
  'files.check': PLAIN,
  'files.sweep': PLAIN,
  'tools.check': PLAIN,

  'plugins.serve': IN_PASSING,
  'plugins.emit': IN_PASSING,
  'plugins.answer': IN_PASSING,

  'health.check': IN_PASSING,
  'health.stop': ONCE,
  'rpc.discover': IN_PASSING,
  'rpc.cancel': ONCE,
} satisfies Record<string, CallFacts>;
