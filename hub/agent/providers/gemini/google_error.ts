import * as z from 'zod';

const text = z.string().nullish().catch(null);
const Detail = z.object({ '@type': text, reason: text, retryDelay: text, violations: z.unknown().optional() });
const GoogleError = z.object({
  code: z.number().nullish().catch(null),
  status: text,
  message: text,
  details: z.array(Detail).nullish().catch(null),
});
type GoogleError = z.infer<typeof GoogleError>;
const Body = z.object({ error: GoogleError });

/** The failure of a request that was refused, in the form of the other SDKs' errors. */
export async function refusedRequest(response: Response): Promise<Error> {
  const said = await response.text();
  const headers = new Headers(response.headers);
  return errorOf(googleError(said), { status: response.status, headers, said });
}

/** The same of a failure that the SDK found in the middle of an answer; others stay as they are. */
export function brokenAnswer(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== 'ApiError') return error;
  const found = googleError(error.message.slice(error.message.indexOf('{')));
  return found === null ? error : errorOf(found, { status: undefined, headers: new Headers(), said: error.message });
}

function googleError(said: string): GoogleError | null {
  try {
    const body: unknown = JSON.parse(said);
    return Body.safeParse(Array.isArray(body) ? body[0] : body).data?.error ?? null;
  } catch {
    return null; // gateways answer with pages
  }
}

interface ErrorPlace {
  status: number | undefined;
  headers: Headers;
  said: string;
}

function errorOf(found: GoogleError | null, { status, headers, said }: ErrorPlace): Error {
  const details = found?.details ?? [];
  const delay = /^(\d+(?:\.\d+)?)s$/.exec(details.find(({ retryDelay }) => retryDelay)?.retryDelay ?? '')?.[1];
  if (delay !== undefined) headers.set('retry-after-ms', String(Number(delay) * 1_000));
  const reasons = details.flatMap(({ reason }) => reason ?? []);
  const isRate = found?.code === 429 && delay !== undefined && !isUsedUp(found);
  const code = [found?.code ?? '', ...reasons, ...(isRate ? ['rate_limit'] : [])].join(' ');
  const message = found?.message ?? said;
  return Object.assign(new Error(message), {
    ...{ status, headers },
    error: { error: { type: found?.status ?? null, code, message } },
  });
}

/** Whether waiting would take until tomorrow, or help never. Its words about quota and billing are the same for all limits. */
function isUsedUp({ message, details }: GoogleError): boolean {
  return /PerDay/.test(JSON.stringify(details)) || /\blimit: 0\b/.test(message ?? '');
}
