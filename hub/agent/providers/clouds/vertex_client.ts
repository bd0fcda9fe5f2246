import { HubError } from '../../../base/error.js';
import { type ClientParts, type CloudClient, clientOptions, exportedClass } from './cloud_client.js';
import type { GoogleSignIn } from './google_sign_in.js';

/** Makes clients of Vertex AI: with an access token, else signed in as the person is at Google. */
export function vertexClient(signIn: GoogleSignIn) {
  return async (parts: ClientParts): Promise<CloudClient> => {
    const { sdk, request, region } = parts;
    const authClient = request.key === null ? await signIn(sdk, request) : bearer(request.key);
    const projectId = request.cloud.project ?? authClient.projectId;
    if (projectId == null) {
      throw new HubError('invalid_params', 'the Google Cloud project for vertex is not known', {
        hint: 'set ANTHROPIC_VERTEX_PROJECT_ID to its id',
        details: { visible: false },
      });
    }
    return new (exportedClass<CloudClient>(sdk, 'AnthropicVertex'))({
      ...clientOptions(parts),
      ...{ region, projectId, authClient },
    });
  };
}

function bearer(token: string) {
  return {
    projectId: null,
    getRequestHeaders: async () => new Headers({ authorization: `Bearer ${token}` }),
  };
}
