import type { InstalledPackages } from '../../../base/packages/installed_packages.js';
import type { CloudPreset } from '../../../base/server_presets.js';
import type { Provider } from '../../model/provider.js';
import { serverAccess } from '../../model/server_access.js';
import { type MessagesBody, sendMessages } from '../anthropic/send_messages.js';
import type { ModelConnection } from '../transport/model_connection.js';
import type { ServedProvider } from '../transport/model_exchange.js';
import { awsCredentials } from './aws_credentials.js';
import { bedrockClient } from './bedrock_client.js';
import { googleSignIn } from './google_sign_in.js';
import { vertexClient } from './vertex_client.js';

/** A provider that speaks Anthropic's messages as a cloud has them, by the SDK for that, which a person has installed. */
export function cloudProvider(
  provider: ServedProvider,
  { cloud, packages }: { cloud: CloudPreset; packages: InstalledPackages },
): Provider {
  const clientOf = { bedrock: bedrockClient(awsCredentials()), vertex: vertexClient(googleSignIn()) }[cloud.name];
  return {
    name: provider.name,
    toInstall: () => (packages.has(cloud.package) ? null : packages.installLine(cloud.package)),
    async *answer(given, signal) {
      const access = serverAccess(provider.name, provider.server, given);
      // Neither cloud lets a request say how long its cache is kept: that is five minutes.
      const request = { ...given, cache: { ...given.cache, lifetime: '5m' as const } };
      const region = request.cloud.region ?? cloud.regionDefault;
      const api = {
        ...{ headers: null, ttl: null },
        async send(connection: ModelConnection, body: MessagesBody) {
          const sdk = packages.load(cloud.package);
          const client = await clientOf({ sdk, request, region, connection, address: access.address });
          return client.messages.create(body, { signal: connection.signal });
        },
      };
      yield* sendMessages({ provider, request, signal, access }, api);
    },
  };
}
