import * as z from 'zod';
import { HubError } from '../../../base/error.js';
import type { InstalledPackage } from '../../../base/packages/installed_packages.js';

/** How long before its end a credential is no longer used, and how long one without an end is. */
const SPARE_MS = 5 * 60_000;
const KEPT_MS = 60_000;

const Credentials = z.looseObject({
  accessKeyId: z.string(),
  secretAccessKey: z.string(),
  expiration: z.date().optional(),
});
type Credentials = z.infer<typeof Credentials>;

type Resolve = () => Promise<unknown>;
interface CredentialProviders {
  fromIni(options: { profile?: string }): Resolve;
}

/** Finds what a person signs with at AWS. */
export type AwsCredentials = (sdk: InstalledPackage, who: { profile: string | null }) => Promise<Credentials>;

/**
 * Credentials of a profile in ~/.aws, by the SDK of AWS: keys, `aws sso login`, roles, commands. A machine's own are not looked
 * for, so that no address is asked that nobody chose.
 */
export function awsCredentials(nowMs: () => number = Date.now): AwsCredentials {
  const known = new Map<string, { credentials: Credentials; untilMs: number }>();
  return async (sdk, { profile }) => {
    const name = profile ?? '';
    const before = known.get(name);
    if (before !== undefined && before.untilMs > nowMs()) return before.credentials;
    const credentials = await resolved(sdk, profile);
    const untilMs = (credentials.expiration?.getTime() ?? nowMs() + SPARE_MS + KEPT_MS) - SPARE_MS;
    known.set(name, { credentials, untilMs });
    return credentials;
  };
}

async function resolved(sdk: InstalledPackage, profile: string | null): Promise<Credentials> {
  const { fromIni }: CredentialProviders = sdk.require('@aws-sdk/credential-providers');
  try {
    return Credentials.parse(await fromIni(profile === null ? {} : { profile })());
  } catch (error) {
    const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
    throw new HubError('no_key', `AWS gives no credentials${profile === null ? '' : ` for ${profile}`}: ${line}`, {
      hint: 'set AWS_PROFILE to a profile of yours (for SSO: aws sso login), or AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
      details: { visible: false },
      cause: error,
    });
  }
}
