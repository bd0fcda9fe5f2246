import * as z from 'zod';

const Body = z.object({
  error: z.union([z.string(), z.object({ message: z.string() }).transform(({ message }) => message)]),
});

/** What a server says instead of an answer, as an error of the form that the SDKs of other servers throw. */
export async function serverRefusal(response: Response): Promise<Error> {
  const { status, headers } = response;
  return Object.assign(serverError(saidIn(await response.text())), { status, headers });
}

/** Its words are all that this server says: they stand for a code, too. */
export function serverError(message: string): Error {
  return Object.assign(new Error(message), { error: { type: null, code: message, message } });
}

function saidIn(text: string): string {
  try {
    return Body.safeParse(JSON.parse(text)).data?.error ?? '';
  } catch {
    return ''; // a gateway's page: the status says enough
  }
}
