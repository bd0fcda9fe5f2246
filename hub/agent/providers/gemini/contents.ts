import type { ModelMessage } from '../../../protocol/methods/context_methods.js';
import type { Block } from '../../../protocol/node.js';
import type { ModelRequest } from '../../model/provider.js';
import { type CallIds, callIds, sentToolName } from '../blocks/call_ids_and_tool_names.js';
import { type ImageLimits, imageSender } from '../blocks/images.js';
import { BEGINNING, NO_OUTPUT } from '../blocks/placeholders.js';
import { wantsSignatures } from './gemini_models.js';
import { type SignedPart, signedPart } from './signed_part.js';

/** A request may have 20 MB, of which these leave some for its text. */
const IMAGE_LIMITS: ImageLimits = {
  charactersMax: 12 * 1024 * 1024,
  totalCharactersMax: 16 * 1024 * 1024,
  sideMax: 16_384,
  few: 100,
  sideMaxOfMany: 8_000,
  countMax: 1_000,
};
/** In place of the signature of a call that another model made; without any the server refuses the call. */
const NO_SIGNATURE = 'skip_thought_signature_validator';

interface InlineData {
  inlineData: { mimeType: string; data: string };
}
interface FunctionCall {
  functionCall: { id: string; name: string; args: Record<string, unknown> };
  thoughtSignature?: string;
}
interface FunctionResponse {
  functionResponse: {
    id: string;
    name: string;
    response: { output: string } | { error: string };
    parts?: InlineData[];
  };
}
type Text = { text: string; thought?: true; thoughtSignature?: string };
type Part = Text | InlineData | FunctionCall | FunctionResponse;
export interface GeminiContent {
  role: 'user' | 'model';
  parts: Part[];
}

type Content = ModelMessage['content'][number];

interface Conversion {
  ids: CallIds;
  /** The names of the calls by the ids that they are sent with. */
  names: Map<string, string>;
  sendImage: ReturnType<typeof imageSender>;
  /** Whether images stand within results; else they follow them. */
  hasImagesInResults: boolean;
}

/** The tools in this protocol. */
export function geminiTools({ tools }: ModelRequest) {
  if (tools.length === 0) return {};
  const functionDeclarations = tools.map(({ name, description, schema }) => ({
    ...{ name, description, parametersJsonSchema: schema },
  }));
  return { tools: [{ functionDeclarations }] };
}

/** The messages in this protocol: alternating roles, and each signature in the part that it came in. */
export async function geminiContents({ messages, model, loadImage }: ModelRequest): Promise<GeminiContent[]> {
  const isSigned = wantsSignatures(model);
  const conversion: Conversion = {
    ids: callIds(),
    names: new Map(),
    sendImage: imageSender(loadImage, IMAGE_LIMITS),
    hasImagesInResults: isSigned,
  };
  const contents: GeminiContent[] = [];
  for (const { role, content } of messages) {
    if (role === 'assistant') addContent(contents, 'model', answerParts(content, conversion));
    else addContent(contents, 'user', await userParts(content, conversion));
  }
  if (isSigned) for (const { role, parts } of contents) if (role === 'model') signFirstCall(parts);
  return contents;
}

function addContent(contents: GeminiContent[], role: GeminiContent['role'], parts: Part[]): void {
  if (parts.length === 0) return;
  const last = contents.at(-1);
  if (last?.role === role) {
    last.parts.push(...parts);
    return;
  }
  if (last === undefined && role === 'model') contents.push({ role: 'user', parts: [{ text: BEGINNING }] });
  contents.push({ role, parts });
}

function answerParts(content: readonly Content[], conversion: Conversion): Part[] {
  return content.flatMap((block, place) => {
    const before = content[place - 1];
    const signed = before?.type === 'thinking' ? signedPart(before.signature) : null;
    return answerPart(block, { signed, next: content[place + 1], conversion });
  });
}

interface ContentParts {
  /** What the thinking before a block signs. */
  signed: SignedPart | null;
  next: Content | undefined;
  conversion: Conversion;
}

function answerPart(block: Content, { signed, next, conversion }: ContentParts): Part[] {
  switch (block.type) {
    case 'text':
      return textParts(block.text, signed?.kind === 'text' ? signed : { length: 0, signature: '' });
    case 'call': {
      const part = callPart(block, conversion);
      return [signed?.kind === 'call' ? { ...part, thoughtSignature: signed.signature } : part];
    }
    case 'thinking':
      return thoughtParts(block, next);
    case 'image':
    case 'result':
    case 'kept':
      return [];
  }
}

/** A signed part of text is apart from what follows it. */
function textParts(text: string, { length, signature }: { length: number; signature: string }): Text[] {
  const signed: Text[] = length === 0 ? [] : [{ text: text.slice(0, length), thoughtSignature: signature }];
  const rest = text.slice(length);
  return rest.trim() === '' ? signed : [...signed, { text: rest }];
}

/** What has a part of its own: a signed thought, and a signature that came with no text. */
function thoughtParts({ text, signature }: Extract<Content, { type: 'thinking' }>, next: Content | undefined): Text[] {
  const signed = signedPart(signature);
  if (signed === null) return [];
  const thoughtSignature = signed.signature;
  if (signed.kind === 'thought') return [{ text: text.slice(-signed.length), thought: true, thoughtSignature }];
  const isTextGone = signed.kind === 'text' && (signed.length === 0 || next?.type !== 'text');
  return isTextGone ? [{ text: '', thoughtSignature }] : [];
}

function callPart({ id, tool, input }: Extract<Content, { type: 'call' }>, { ids, names }: Conversion): FunctionCall {
  const sent = ids.call(id);
  const name = sentToolName(tool);
  names.set(sent, name);
  return { functionCall: { id: sent, name, args: { ...Object(input) } } };
}

/** A step is known by its first call, which has to be signed. */
function signFirstCall(parts: Part[]): void {
  const first = parts.find((part) => 'functionCall' in part);
  if (first !== undefined) first.thoughtSignature ??= NO_SIGNATURE;
}

async function userParts(content: readonly Content[], conversion: Conversion): Promise<Part[]> {
  const results: Part[] = [];
  const others: Part[] = [];
  for (const block of content) {
    if (block.type === 'result') {
      const { response, images } = await resultPart(block, conversion);
      results.push(response);
      others.push(...images);
    } else others.push(...(await partsOf(block, conversion)));
  }
  return [...results, ...others];
}

async function resultPart(
  { id, content, failed }: Extract<Content, { type: 'result' }>,
  conversion: Conversion,
): Promise<{ response: FunctionResponse; images: InlineData[] }> {
  const parts: (Text | InlineData)[] = [];
  for (const block of content) parts.push(...(await partsOf(block, conversion)));
  const images = parts.filter((part) => 'inlineData' in part);
  const lines = parts.flatMap((part) => ('text' in part ? [part.text] : []));
  const text = lines.length === 0 ? NO_OUTPUT : lines.join('\n');
  const sent = conversion.ids.result(id);
  const isWithin = conversion.hasImagesInResults && images.length > 0;
  const functionResponse = {
    ...{ id: sent, name: conversion.names.get(sent) ?? 'unnamed' },
    response: failed ? { error: text } : { output: text },
    ...(isWithin ? { parts: images } : {}),
  };
  return { response: { functionResponse }, images: isWithin ? [] : images };
}

/** A block of a person or a tool. */
async function partsOf(block: Block, { sendImage }: Conversion): Promise<(Text | InlineData)[]> {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? [] : [{ text: block.text }];
    case 'image': {
      const sent = await sendImage(block);
      if (sent.kind === 'text') return [{ text: sent.text }];
      return [{ inlineData: { mimeType: sent.mediaType, data: sent.base64 } }];
    }
    case 'thinking':
    case 'call':
    case 'kept':
      return [];
  }
}
