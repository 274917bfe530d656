import { onTestFinished } from 'vitest';
import { type Answering, startService, type TestService } from '../upstream/testing/service.ts';
import type { ClientOptions } from './create-client.ts';
import { type Client, createClient } from './create-client.ts';

/** The token that every test client sends. */
export const token = 'b7f0-secret';

/** A client, and the test service that it calls. */
export interface ClientAtService extends TestService {
  readonly client: Client;
}

/** A client without a rate limit, and a service that answers so; both end with the test. */
export async function startClient(
  answer: Answering,
  options: Partial<ClientOptions> = {},
): Promise<ClientAtService> {
  const service = await startService(answer);
  return { ...service, client: openClient({ baseUrl: service.baseUrl, ...options }) };
}

/** Another client, which ends with the test. */
export function openClient(
  options: Partial<ClientOptions> & Pick<ClientOptions, 'baseUrl'>,
): Client {
  const client = createClient({ token, requestsPerSecond: 0, ...options });
  onTestFinished(() => client.close());
  return client;
}
