import {
  FLOOD_BYTES,
  leaveChild,
  onLines,
  orderIn,
  print,
  randomUUID,
  recorded,
  replyTo,
  run,
  sessions,
} from './stand_in.mjs';

const PIECE_LENGTH = 400_000;
const words = process.argv.slice(2);
const line = recorded('claude');

/** What it knows: its session with all turns, what waits for an answer, and whether it is spoken to. */
const state = { session: '', turns: [], isLive: false, hanging: null, pending: new Map() };

if (words.includes('--version')) console.log('2.1.326 (Claude Code)');
else if (words.includes('auth')) console.log(`logging in at ${process.env.HOME}`);
else start();

function option(name) {
  return words.includes(name) ? words[words.indexOf(name) + 1] : null;
}

function start() {
  const from = option('--resume');
  const turns = from === null ? [] : sessions.read(from);
  if (turns === null) {
    console.error(`No conversation found with session ID: ${from}`);
    process.exit(1);
  }
  state.isLive = option('--input-format') === 'stream-json';
  state.session = from === null || words.includes('--fork-session') ? randomUUID() : from;
  state.turns = upTo(turns, option('--resume-session-at'));
  if (state.isLive) onLines(take, () => process.exit(0));
  else say(words.at(-1) ?? '');
}

function upTo(turns, at) {
  if (at === null) return turns;
  const end = turns.findIndex(({ id }) => id === at);
  if (end >= 0) return turns.slice(0, end + 1);
  print({ ...line('result/no_point'), errors: [`No message found with message.uuid of: ${at}`] });
  return process.exit(1);
}

function take(message) {
  if (message.type === 'user') say(message.message.content[0].text);
  else if (message.type === 'control_response') {
    const { request_id, response } = message.response;
    state.pending.get(request_id)?.(response);
    state.pending.delete(request_id);
  } else if (message.request?.subtype === 'interrupt' && state.hanging !== 'deaf') interrupt(message.request_id);
}

function interrupt(request_id) {
  const known = line('interrupted');
  print({ ...known, response: { ...known.response, request_id } });
  if (state.hanging !== null) print(of('result/interrupted', { uuid: randomUUID() }));
  state.hanging = null;
}

/** A recorded line in this session. */
function of(kind, changes = {}) {
  return { ...line(kind), ...changes, session_id: state.session };
}

const ORDERS = {
  tool: callTool,
  hang,
  deaf: hang,
  429: () => fail(429, 'API Error: 429 too many requests'),
  401: () => fail(401, 'Failed to authenticate. API Error: 401'),
  empty: (said) => answer(said, ''),
  half() {
    process.stdout.write('{"type":"result","subtype":"succ');
    process.exit(0);
  },
  flood: (said) => answer(said, 'x'.repeat(FLOOD_BYTES)),
  noise(said) {
    process.stdout.write('this is no JSON\n[1,2]\n{"type":"never heard of"}\n');
    reply(said);
  },
  twice(said) {
    reply(said);
    end({ result: 'later', origin: { kind: 'task-notification' }, result_index: 1 });
  },
  die: () => process.kill(process.pid, 'SIGKILL'),
  child: (said) => answer(said, `left ${leaveChild()}`),
  other: reply,
};

function say(said) {
  const { name, value } = orderIn(said);
  if (name === 'other') state.session = randomUUID();
  print(of('system/init', { cwd: process.cwd() }));
  (ORDERS[name] ?? reply)(said, value, name);
}

function reply(said) {
  answer(said, replyTo([...state.turns, { role: 'user', text: said }]));
}

function answer(said, text) {
  const id = text === '' ? randomUUID() : speak(text);
  state.turns = [...state.turns, { id: randomUUID(), role: 'user', text: said }, { id, role: 'assistant', text }];
  sessions.write(state.session, state.turns);
  end({ result: text });
  if (!state.isLive) process.exit(0);
}

/** Says a text in pieces, then whole; returns the id of the message. */
function speak(text) {
  if (state.isLive) {
    print(of('stream/message_start'));
    for (let start = 0; start < text.length; start += PIECE_LENGTH) {
      const delta = { type: 'text_delta', text: text.slice(start, start + PIECE_LENGTH) };
      const known = line('stream/content_block_delta/text_delta');
      print(of('stream/content_block_delta/text_delta', { event: { ...known.event, delta } }));
    }
  }
  const uuid = randomUUID();
  const message = { ...line('assistant/text').message, content: [{ type: 'text', text }] };
  print(of('assistant/text', { message, uuid }));
  return uuid;
}

function end(changes) {
  print(of('result/success', { uuid: randomUUID(), is_error: false, api_error_status: null, ...changes }));
}

function fail(status, text) {
  print(of('result/api_error', { api_error_status: status, result: text }));
}

function hang(_said, _value, name) {
  state.hanging = name;
  print(of('system/status'));
  if (!state.isLive) setInterval(() => undefined, 60_000);
}

function callTool(said, command) {
  const id = `toolu_${randomUUID().slice(0, 8)}`;
  const input = { command, description: 'as it was told' };
  const content = [{ type: 'tool_use', id, name: 'Bash', input }];
  print(of('assistant/tool_use', { message: { ...line('assistant/tool_use').message, content }, uuid: randomUUID() }));
  if (!state.isLive) {
    perform(said, { id, command });
    return;
  }
  const request_id = randomUUID();
  state.pending.set(request_id, ({ behavior, updatedInput, message }) => {
    if (behavior === 'allow') perform(said, { id, command: updatedInput.command });
    else finish(said, { id, result: message, isError: true });
  });
  const known = line('ask/can_use_tool');
  print({ ...known, request_id, request: { ...known.request, input, tool_use_id: id } });
}

function perform(said, { id, command }) {
  const { output, code } = run(command);
  finish(said, { id, result: output, isError: code !== 0 });
}

function finish(said, { id, result, isError }) {
  const content = [{ tool_use_id: id, type: 'tool_result', content: result, is_error: isError }];
  print(of('user/tool_result', { message: { role: 'user', content }, uuid: randomUUID() }));
  answer(said, `tool said: ${result}`);
}
