import * as z from 'zod';
import { isJson, isJsonObject } from './json.js';
import { BLOCKS_MAX, META_KEYS_MAX } from './limits.js';

// RFC 9562 text form. Lower case only, so that one id has one spelling on the wire. Each kind of id has a schema of its own, by
// which descriptions of the protocol tell them apart.
const uuid = () =>
  z.string().regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, {
    message: 'must be a UUID in lower case',
  });
export const TreeId = uuid().brand<'TreeId'>();
export type TreeId = z.infer<typeof TreeId>;
export const NodeId = uuid().brand<'NodeId'>();
export type NodeId = z.infer<typeof NodeId>;
export const TurnId = uuid().brand<'TurnId'>();
export type TurnId = z.infer<typeof TurnId>;

export const Sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, { message: 'must be a SHA-256 in lower-case hex' })
  .brand<'Sha256'>();
export type Sha256 = z.infer<typeof Sha256>;

// One line that a person can type: no control or line-breaking characters, no blanks at the ends, not the
// position sign and not an option. Joiners, which emoji and some scripts are written with, stand between others.
const nameShape =
  /^(?![@-])(?!\s)[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+(?:[\u200c\u200d][^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+)*(?<!\s)$/u;
const nameOf = (what: string) =>
  z
    .string()
    .min(1, { message: `a ${what}'s name cannot be empty` })
    .max(200, { message: `a ${what}'s name has at most 200 characters` })
    .regex(nameShape, {
      message: `a ${what}'s name is one line without control characters, does not start with @ or - and has no blanks at its ends`,
    });
export const TreeName = nameOf('tree').brand<'TreeName'>();
export type TreeName = z.infer<typeof TreeName>;
export const MarkName = nameOf('mark').brand<'MarkName'>();
export type MarkName = z.infer<typeof MarkName>;

/** Any JSON value, kept as it came: a schema that builds it anew would drop the key `__proto__` without a word. */
export const Json = z.unknown().refine(isJson, { message: 'must be JSON, with numbers that are finite' });
export const JsonObject = z.unknown().refine(isJsonObject, { message: 'must be a JSON object' });

const timeMs = z.int().nonnegative();
const counted = z.int().nonnegative();

export const TextBlock = z.strictObject({ type: z.literal('text'), text: z.string() });
export const ThinkingBlock = z.strictObject({
  type: z.literal('thinking'),
  text: z.string(),
  /** The model's signature; unsigned thinking is stored but never sent. */
  signature: z.string().nullable(),
});
export const CallBlock = z.strictObject({
  type: z.literal('call'),
  /** The model's own id of this call, which its result repeats. */
  id: z.string().min(1).max(200),
  tool: z.string().min(1).max(200),
  input: Json,
});
export const ImageBlock = z.strictObject({
  type: z.literal('image'),
  sha256: Sha256,
  media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
  width: counted,
  height: counted,
});
/** In a summary: how many of the nodes right above it are sent behind it, word for word. */
export const KeptBlock = z.strictObject({ type: z.literal('kept'), nodes: z.int().positive().max(100_000) });
export const Block = z.discriminatedUnion('type', [TextBlock, ThinkingBlock, CallBlock, ImageBlock, KeptBlock]);
export type Block = z.infer<typeof Block>;
export const Blocks = z.array(Block).max(BLOCKS_MAX);

export const Handle = z.strictObject({
  source: z.string().min(1).max(100),
  source_version: z.string().min(1).max(100),
  identifier: z.string().min(1).max(4_096),
  metadata: JsonObject,
});
export type Handle = z.infer<typeof Handle>;

/** A stored output: all of it, or its head and tail when `total_bytes` says that there was more. */
export const Output = z.strictObject({ sha256: Sha256, size_bytes: counted, total_bytes: counted });
export type Output = z.infer<typeof Output>;

/** The target of an external node and how it was made. Its blocks are the model's view of it. */
export const External = z.strictObject({
  call: z.strictObject({
    tool: z.string().min(1).max(200),
    input: Json,
    /** The id of the call block that this answers; null for a command that a person ran. */
    id: z.string().min(1).max(200).nullable(),
  }),
  handle: Handle,
  output: Output.nullable(),
  exit_code: z.int().nullable(),
  signal: z.string().max(40).nullable(),
  duration_ms: counted.nullable(),
  /** The working directory after the call. */
  cwd: z.string().max(16_384).nullable(),
});
export type External = z.infer<typeof External>;

export const Role = z.enum(['root', 'user', 'assistant', 'summary', 'tool']);
export type Role = z.infer<typeof Role>;

/**
 * What a program says of a node for itself: no model is sent it. Part of the node and its hash, so it never changes. Keys begin with a
 * letter or digit, so that none is a name of JavaScript's own.
 */
export const NodeMeta = z
  .record(
    z.string().regex(/^[A-Za-z0-9][\w.:/-]{0,99}$/, { message: 'must be 1 to 100 letters, digits or _ . : / -' }),
    z.union([z.string().max(1_000), z.number(), z.boolean()]),
  )
  .refine((meta) => Object.keys(meta).length > 0 && Object.keys(meta).length <= META_KEYS_MAX, {
    message: `must have 1 to ${META_KEYS_MAX} keys`,
  });
export type NodeMeta = z.infer<typeof NodeMeta>;

/** The position of a node in its step; absent outside steps. */
export const StepPlace = z.strictObject({ id: NodeId, index: counted, size: z.int().positive() });

const nodeFields = {
  id: NodeId,
  tree: TreeId,
  parent: NodeId.nullable(),
  created_at_ms: timeMs,
  step: StepPlace.nullable(),
  settings: Sha256.nullable(),
  blocks: Blocks,
  /** Absent where nothing is said. */
  meta: NodeMeta.optional(),
  hash: Sha256,
};
const textFields = { kind: z.literal('text'), role: z.enum(['root', 'user', 'assistant', 'summary']) };
const externalFields = { kind: z.literal('external'), role: z.literal('tool'), external: External };
/** Whose a node is that another hub has made: person and machine, as they say themselves. */
const Author = z.string().max(200);
const placeFields = {
  seq: counted,
  depth: counted,
  /** A damaged node, whose hash does not match: only its position is sent. */
  damaged: z.literal(true).optional(),
  by: Author.optional(),
};

export const TextNode = z.strictObject({ ...nodeFields, ...placeFields, ...textFields });
export const ExternalNode = z.strictObject({ ...nodeFields, ...placeFields, ...externalFields });
export const Node = z.discriminatedUnion('kind', [TextNode, ExternalNode]);
export type Node = z.infer<typeof Node>;

/** A node as it travels between homes: without its place in one home's feed. */
export const PortableNode = z.discriminatedUnion('kind', [
  z.strictObject({ ...nodeFields, ...textFields }),
  z.strictObject({ ...nodeFields, ...externalFields }),
]);
export type PortableNode = z.infer<typeof PortableNode>;

/** The summary of a node for drawing trees: one line, cheap enough for 100,000. */
export const SkeletonNode = z.strictObject({
  id: NodeId,
  parent: NodeId.nullable(),
  seq: counted,
  role: Role,
  /** The tool of an external node. */
  tool: z.string().nullable(),
  /** The first characters of the text, or of the call's input, on one line. */
  preview: z.string(),
  created_at_ms: timeMs,
  /** The step it belongs to, when that has more than one node. */
  step: StepPlace.nullable(),
  exit_code: z.int().nullable(),
  by: Author.optional(),
  /** True for the top of an archived branch. */
  archived: z.boolean(),
});
export type SkeletonNode = z.infer<typeof SkeletonNode>;

/** A node by its tree: what owns a tree, or what it was forked from. */
const NodeOfTree = z.strictObject({ tree: TreeId, node: NodeId });

export const Tree = z.strictObject({
  id: TreeId,
  name: TreeName.nullable(),
  /** The first words of its first message; empty while there is none. */
  title: z.string(),
  /** The real path of the project that it belongs to. */
  project: z.string().nullable(),
  /** The node that asked for this tree, when it is a sub-session. */
  owner: NodeOfTree.nullable(),
  /** The node that it begins with a copy of the path to; it may be gone. */
  forked_from: NodeOfTree.nullable(),
  created_at_ms: timeMs,
  updated_at_ms: timeMs,
  archived_at_ms: timeMs.nullable(),
  node_count: counted,
  message_count: counted,
  branch_count: counted,
  last_seq: counted,
});
export type Tree = z.infer<typeof Tree>;

/** `seq` is that of its node. */
export const Mark = z.strictObject({ tree: TreeId, name: MarkName, node: NodeId, seq: counted, set_at_ms: timeMs });
export type Mark = z.infer<typeof Mark>;

/** The end of a branch, told so that a person can choose between several. */
export const Leaf = z.strictObject({
  node: SkeletonNode,
  /** The nearest node above with more than one child; the root when there is none. */
  fork: NodeId,
  /** The first words after that fork point. */
  differs: z.string(),
  /** Listed nodes from the fork point down to here: answers that only call tools are not. */
  length: counted,
});
export type Leaf = z.infer<typeof Leaf>;

export const Settings = z.strictObject({
  system_prompt: z.string(),
  tools: z.array(Json),
  level: z.string().max(100),
  model: z.string().max(400),
  thinking: Json,
});
export type Settings = z.infer<typeof Settings>;
