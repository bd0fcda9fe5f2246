import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { anthropicViolation } from './anthropic_rules.js';
import { listOf, objectOf } from './prompt_cache.js';

type Fields = Record<string, unknown>;
interface CloudRequest {
  path: string;
  headers: IncomingMessage['headers'];
  text: string;
  body: Fields;
}

/** Who signs at AWS in tests, and where. */
export const AWS_KEYS = {
  access_key_id: 'AKIATESTTESTTESTTEST',
  secret_access_key: 'secret/0123456789abcdefghijklmnopqrstuv',
  session_token: 'session-0123456789abcdef',
};
export const AWS_REGION = 'eu-central-1';
export const PROJECT = 'cloud-project-1';

const BEDROCK = /^\/model\/([^/]+)\/invoke-with-response-stream$/;
const VERTEX =
  /^(?:\/v1)?\/projects\/([^/]+)\/locations\/([^/]+)\/publishers\/anthropic\/models\/([^/:]+):streamRawPredict$/;

/** The model in a path of a cloud; null in any other. */
export function cloudModelIn(path: string): { cloud: 'bedrock' | 'vertex'; model: string } | null {
  const bedrock = BEDROCK.exec(path);
  if (bedrock !== null) return { cloud: 'bedrock', model: decodeURIComponent(bedrock[1] ?? '') };
  const vertex = VERTEX.exec(path);
  return vertex === null ? null : { cloud: 'vertex', model: decodeURIComponent(vertex[3] ?? '') };
}

/** The same rules as Anthropic's, but for where the model and the version stand, and how long caches are kept. */
export function cloudViolation(request: CloudRequest, paused: { paused: ReadonlySet<string> }): string | null {
  const { body, headers, path } = request;
  const found = cloudModelIn(path);
  const project = VERTEX.exec(path)?.[1];
  if (found === null || (project !== undefined && project !== PROJECT)) return 'no such resource';
  if (body.model !== undefined) return 'model: Extra inputs are not permitted';
  if (body.stream !== undefined && found.cloud === 'bedrock') return 'stream: Extra inputs are not permitted';
  if (headers['anthropic-version'] !== undefined) return 'the version stands in the body';
  const told = Object.keys(headers).find((name) => name.startsWith('x-stainless'));
  if (told !== undefined) return `${told} tells of the machine`;
  if (JSON.stringify(marksOf(body)).includes('"ttl"'))
    return 'cache_control.ephemeral.ttl: Extra inputs are not permitted';
  const { anthropic_version: version, ...rest } = body;
  const plain = found.model
    .replace(/^([a-z-]+\.)?anthropic\./, '')
    .replace(/-v\d+:\d+$/, '')
    .replace('@', '-');
  return anthropicViolation(
    {
      body: { ...rest, model: plain, stream: true },
      headers: version === undefined ? {} : { 'anthropic-version': String(version) },
    },
    paused,
  );
}

function marksOf({ system, tools, messages }: Fields): unknown[] {
  const content = listOf(messages).flatMap((message) => listOf(objectOf(message).content));
  return [...listOf(system), ...listOf(tools), ...content].map((block) => objectOf(block).cache_control ?? null);
}

/** What is wrong with how a request to AWS is signed, by the fourth version of their signatures. */
export function signatureViolation({ path, headers, text }: CloudRequest): string | null {
  const pattern =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/bedrock\/aws4_request, SignedHeaders=([^,]+), Signature=(\w{64})$/;
  const [, id, day = '', region = '', signed = '', signature] = pattern.exec(headers.authorization ?? '') ?? [];
  if (id !== AWS_KEYS.access_key_id) return 'The security token included in the request is invalid.';
  if (headers['x-amz-security-token'] !== AWS_KEYS.session_token) return 'The security token is missing.';
  if (region !== AWS_REGION) return `Credential should be scoped to a valid region, not ${region}.`;
  const hash = (data: string): string => createHash('sha256').update(data).digest('hex');
  const names = signed.split(';');
  const lines = names.map(
    (name) =>
      `${name}:${String(headers[name] ?? '')
        .trim()
        .replace(/\s+/g, ' ')}\n`,
  );
  // Each part of the path is encoded once more than it is sent.
  const encoded = path
    .split('/')
    .map((part) => encodeURIComponent(part))
    .join('/');
  const canonical = ['POST', encoded, '', lines.join(''), signed, hash(text)].join('\n');
  const scope = `${day}/${region}/bedrock/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hash(canonical)].join('\n');
  const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest();
  const key = [day, region, 'bedrock', 'aws4_request'].reduce<Buffer | string>(
    (from, data) => hmac(from, data),
    `AWS4${AWS_KEYS.secret_access_key}`,
  );
  if (hmac(key, toSign).toString('hex') === signature) return null;
  return 'The request signature we calculated does not match the signature you provided.';
}
