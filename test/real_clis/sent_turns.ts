type Fields = Record<string, unknown>;

/** One turn of a conversation as a model is sent it, the same for every protocol. */
export interface SentTurn {
  role: 'user' | 'assistant';
  text: string;
  calls: { tool: string; input: string }[];
  results: string[];
}

/** What one request asks. */
export interface SentRequest {
  path: string;
  model: string;
  tools: string[];
  turns: SentTurn[];
}

/** Reads a request of any of the protocols that the agents speak. */
export function requestIn(path: string, body: Fields): SentRequest {
  const [, named] = /\/models\/([^/:]+):/.exec(path) ?? [];
  const model = named ?? String(body.model ?? '');
  return { path, model, tools: toolsIn(body), turns: joined(turnsIn(body)) };
}

function turnsIn(body: Fields): SentTurn[] {
  if (Array.isArray(body.contents)) return listOf(body.contents).map(geminiTurn);
  if (Array.isArray(body.input)) return listOf(body.input).flatMap(responsesTurn);
  return listOf(body.messages).flatMap(messageTurn);
}

/** Anthropic's and OpenAI's messages: the one has blocks, the other fields of its own. */
function messageTurn({ role, content, tool_calls }: Fields): SentTurn[] {
  if (role === 'system' || role === 'developer') return [];
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
  if (role === 'tool') return [turn('user', { results: [textIn(blocks)] })];
  const results = blocks.filter(({ type }) => type === 'tool_result').map((block) => resultText(block.content));
  const calls = [
    ...blocks
      .filter(({ type }) => type === 'tool_use')
      .map(({ name, input }) => ({ tool: String(name), input: JSON.stringify(input) })),
    ...listOf(tool_calls).map((call) => {
      const { name, arguments: input } = objectOf(call.function);
      return { tool: String(name), input: String(input) };
    }),
  ];
  return [turn(role === 'assistant' ? 'assistant' : 'user', { text: textIn(blocks), calls, results })];
}

function responsesTurn(item: Fields): SentTurn[] {
  switch (item.type ?? 'message') {
    case 'message':
      if (item.role !== 'user' && item.role !== 'assistant') return [];
      return [turn(item.role, { text: textIn(listOf(item.content)) })];
    case 'function_call':
      return [turn('assistant', { calls: [{ tool: String(item.name), input: String(item.arguments) }] })];
    case 'custom_tool_call':
      return [turn('assistant', { calls: [{ tool: String(item.name), input: String(item.input) }] })];
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [turn('user', { results: [resultText(item.output)] })];
    default:
      return [];
  }
}

function geminiTurn({ role, parts }: Fields): SentTurn {
  const blocks = listOf(parts).filter(({ thought }) => thought !== true);
  const calls = blocks.flatMap((part) => {
    if (part.functionCall === undefined) return [];
    const { name, args } = objectOf(part.functionCall);
    return [{ tool: String(name), input: JSON.stringify(args) }];
  });
  const results = blocks.flatMap((part) =>
    part.functionResponse === undefined ? [] : [JSON.stringify(objectOf(part.functionResponse).response)],
  );
  return turn(role === 'model' ? 'assistant' : 'user', { text: textIn(blocks), calls, results });
}

function turn(role: SentTurn['role'], said: Partial<SentTurn>): SentTurn {
  return { role, text: '', calls: [], results: [], ...said };
}

/** One turn for each change of the speaker: protocols cut them differently. */
function joined(turns: readonly SentTurn[]): SentTurn[] {
  const whole: SentTurn[] = [];
  for (const one of turns) {
    const last = whole.at(-1);
    const isResult = one.results.length > 0;
    const isSame = last?.role === one.role && last.results.length > 0 === isResult;
    if (last === undefined || !isSame || (last.calls.length > 0 && one.text !== '')) whole.push(one);
    else {
      last.text = [last.text, one.text].filter((text) => text !== '').join('\n');
      last.calls.push(...one.calls);
      last.results.push(...one.results);
    }
  }
  return whole;
}

function toolsIn({ tools }: Fields): string[] {
  return listOf(tools).flatMap((tool) => {
    if (Array.isArray(tool.functionDeclarations))
      return listOf(tool.functionDeclarations).map(({ name }) => String(name));
    if (tool.type === 'namespace') return listOf(tool.tools).map(({ name }) => `${tool.name}__${name}`);
    const name = tool.name ?? objectOf(tool.function).name;
    return name === undefined ? [] : [String(name)];
  });
}

function textIn(blocks: readonly Fields[]): string {
  return blocks.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n');
}

function resultText(content: unknown): string {
  return typeof content === 'string' ? content : textIn(listOf(content));
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

function objectOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
