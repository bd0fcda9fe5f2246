import { crc32 } from 'node:zlib';

/** How Bedrock calls what goes wrong in the middle; what is not named comes as Anthropic says it. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  overloaded_error: 'serviceUnavailableException',
  api_error: 'internalServerException',
  rate_limit_error: 'throttlingException',
  invalid_request_error: 'validationException',
};

/** The events of an answer as one of Amazon's event streams. */
export function bedrockStream(frames: readonly string[]): Buffer {
  const events = frames.flatMap((frame) => frame.split('\n').flatMap((line) => /^data: (.*)$/.exec(line)?.[1] ?? []));
  return Buffer.concat(events.map(messageOf));
}

function messageOf(json: string): Buffer {
  const type = /^\{"type":"error","error":\{"type":"(\w+)"/.exec(json)?.[1];
  const exception = type === undefined ? undefined : EXCEPTIONS[type];
  if (exception !== undefined) {
    const headers = { ':message-type': 'exception', ':exception-type': exception, ':content-type': 'application/json' };
    return message(headers, JSON.stringify({ message: 'something is wrong here' }));
  }
  const headers = { ':event-type': 'chunk', ':content-type': 'application/json', ':message-type': 'event' };
  return message(headers, JSON.stringify({ bytes: Buffer.from(json).toString('base64'), p: 'abcdefgh' }));
}

/** One message: lengths, their checksum, headers, payload, and the checksum of all. */
function message(headers: Record<string, string>, payload: string): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
  const body = Buffer.from(payload);
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + head.length + body.length, 0);
  prelude.writeUInt32BE(head.length, 4);
  const begun = Buffer.concat([prelude, checksum(prelude), head, body]);
  return Buffer.concat([begun, checksum(begun)]);
}

function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  const STRING = 7;
  return Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([STRING]),
    length,
    Buffer.from(value),
  ]);
}

function checksum(data: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(data));
  return sum;
}
