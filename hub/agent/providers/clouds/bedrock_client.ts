import type { AwsCredentials } from './aws_credentials.js';
import { type ClientParts, type CloudClient, clientOptions, exportedClass } from './cloud_client.js';

/** Makes clients of Amazon Bedrock: with a key of Bedrock's, else signing as the person does at AWS. */
export function bedrockClient(credentials: AwsCredentials) {
  return (parts: ClientParts): CloudClient => {
    const { sdk, request, region } = parts;
    const { access_key_id: id = null, secret_access_key: secret = null, session_token = null } = request.cloud;
    const isWhole = id !== null && secret !== null;
    return new (exportedClass<CloudClient>(sdk, 'AnthropicBedrock'))({
      ...clientOptions(parts),
      awsRegion: region,
      apiKey: request.key,
      awsAccessKey: isWhole ? id : null,
      awsSecretKey: isWhole ? secret : null,
      awsSessionToken: isWhole ? session_token : null,
      providerChainResolver: async () => () => credentials(sdk, { profile: request.cloud.profile ?? null }),
    });
  };
}
