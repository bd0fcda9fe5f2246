import { FLOOD_BYTES, onLines, orderIn, print, randomUUID, recorded, replyTo, run, sessions } from './stand_in.mjs';

const PIECE_LENGTH = 400_000;
const words = process.argv.slice(2);
const line = recorded('codex');

/** What it knows: its thread with all turns, the turn under way, and what waits for a decision. */
const state = { thread: '', turns: [], approvals: 'never', turn: null, questions: 0, pending: new Map() };

if (words.includes('--version')) console.log('codex-cli 0.169.0');
else if (words[0] === 'app-server') onLines(take, () => process.exit(0));
else if (words[0] === 'exec') runOnce();
else process.exit(2);

/** `codex exec`: a new thread, or one that is resumed or forked, and the end. */
function runOnce() {
  const at = words.findIndex((word) => word === 'resume' || word === 'fork');
  const from = at < 0 ? null : words[at + 1];
  const turns = from === null ? [] : sessions.read(from);
  if (turns === null) {
    console.error(`WARNING: something\nError: thread/resume failed: no rollout found for thread id ${from}`);
    process.exit(1);
  }
  const thread = from === null || words[at] === 'fork' ? randomUUID() : from;
  const said = words.at(-1) ?? '';
  const text = replyTo([...turns, { role: 'user', text: said }]);
  print({ type: 'thread.started', thread_id: thread });
  print({ type: 'turn.started' });
  print({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text } });
  print({ type: 'turn.completed', usage: {} });
  sessions.write(thread, [...turns, { id: '0', role: 'user', text: said }, { id: '0', role: 'assistant', text }]);
}

function take(message) {
  const { id, method, params, result } = message;
  if (method !== undefined && id !== undefined) (CALLS[method] ?? refuseUnknown)(id, params, method);
  else if (result !== undefined) state.pending.get(id)?.(result.decision);
}

const CALLS = {
  initialize: (id) => print({ ...line('result/initialize'), id }),
  'thread/start': open,
  'thread/resume': open,
  'thread/fork': open,
  'thread/inject_items'(id, { items }) {
    const messages = items.filter(({ role }) => role !== undefined);
    state.turns = messages.map(({ role, content }) => ({ id: randomUUID(), role, text: content[0].text }));
    sessions.write(state.thread, state.turns);
    print({ id, result: {} });
  },
  'turn/start'(id, { input }) {
    state.turn = randomUUID();
    const { result } = line('result/turn/start');
    print({ id, result: { turn: { ...result.turn, id: state.turn } } });
    begin(input[0].text);
  },
  'turn/interrupt'(id, { turnId }) {
    print({ id, result: {} });
    if (state.turn === turnId) complete('interrupted');
  },
};

function refuseUnknown(id, _params, method) {
  refuse(id, `unknown method ${method}`);
}

function refuse(id, message) {
  print({ id, error: { code: -32600, message } });
}

function open(id, { threadId: from = null, lastTurnId: at = null, approvalPolicy }, method) {
  const known = from === null ? [] : sessions.read(from);
  if (known === null) return refuse(id, `no rollout found for thread id ${from}`);
  const end = known.findLastIndex((turn) => turn.id === at);
  if (at !== null && end < 0) return refuse(id, `turn not found: ${at}`);
  state.thread = method === 'thread/resume' ? from : randomUUID();
  state.turns = at === null ? known : known.slice(0, end + 1);
  state.approvals = approvalPolicy;
  const { result } = line(`result/${method}`);
  return print({ id, result: { ...result, thread: { ...result.thread, id: state.thread } } });
}

const ORDERS = {
  tool: callTool,
  hang: () => undefined,
  429() {
    const { error } = line('turn/completed/failed').params.turn;
    const codexErrorInfo = { responseTooManyFailedAttempts: { httpStatusCode: 429 } };
    complete('failed', { ...error, message: 'exceeded retry limit, last status: 429', codexErrorInfo });
  },
  flood: (said) => answer(said, 'x'.repeat(FLOOD_BYTES)),
  die: () => process.kill(process.pid, 'SIGKILL'),
  empty: () => complete('completed'),
};

function begin(said) {
  const { name, value } = orderIn(said);
  notify('turn/started', {});
  (ORDERS[name] ?? reply)(said, value);
}

function notify(kind, changes) {
  const known = line(kind);
  print({ ...known, params: { ...known.params, threadId: state.thread, turnId: state.turn, ...changes } });
}

function item(kind, changes) {
  notify(kind, { item: { ...line(kind).params.item, ...changes } });
}

function complete(status, error = null) {
  const known = line(`turn/completed/${status}`);
  const turn = { ...known.params.turn, id: state.turn, items: [], error };
  state.turn = null;
  print({ ...known, params: { threadId: state.thread, turn } });
}

function reply(said) {
  answer(said, replyTo([...state.turns, { role: 'user', text: said }]));
}

function answer(said, text) {
  const id = `msg_${randomUUID().slice(0, 8)}`;
  item('item/started/agentMessage', { id, text: '' });
  for (let start = 0; start < text.length; start += PIECE_LENGTH) {
    notify('item/agentMessage/delta', { itemId: id, delta: text.slice(start, start + PIECE_LENGTH) });
  }
  item('item/completed/agentMessage', { id, text });
  const own = [
    { id: state.turn, role: 'user', text: said },
    { id: state.turn, role: 'assistant', text },
  ];
  state.turns = [...state.turns, ...own];
  sessions.write(state.thread, state.turns);
  complete('completed');
}

function callTool(said, command) {
  const id = `call_${randomUUID().slice(0, 8)}`;
  item('item/started/commandExecution', { id, command });
  const finish = (output, exitCode, status) => {
    item('item/completed/commandExecution', { id, command, aggregatedOutput: output, exitCode, status });
    answer(said, `tool said: ${output}`);
  };
  const perform = () => {
    const { output, code } = run(command);
    finish(output, code, code === 0 ? 'completed' : 'failed');
  };
  if (state.approvals === 'never') return perform();
  const question = state.questions++;
  state.pending.set(question, (decision) => (decision === 'accept' ? perform() : finish('declined', null, 'declined')));
  const known = line('item/commandExecution/requestApproval');
  return print({ ...known, id: question, params: { ...known.params, itemId: id, command } });
}
