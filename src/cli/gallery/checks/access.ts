import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import {
  type Answer,
  assertAt,
  assertError,
  assertFilled,
  assertStatus,
  CheckFailed,
  CheckSkipped,
  fail,
  findAt,
} from '../answer.ts';
import type { Stage } from '../stage.ts';
import { toSearch } from '../talk.ts';
import type { Check } from './check.ts';

/** Validity of access tokens that the gallery of Entra takes, in seconds. */
const VALID_MIN = 3_600;
const VALID_MAX = 6 * 3_600;
/** Validity of an assertion. */
const ASSERTION = '1m';
const BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Checks of addresses and of how a provider signs in. */
export const access = {
  https: {
    id: 'https',
    title: 'The base URL begins with https',
    async run({ baseUrl }) {
      if (new URL(baseUrl).protocol === 'https:') return;
      const why = `asked at ${baseUrl}: name the address that the provider uses, with --url`;
      throw new CheckSkipped(why);
    },
  },
  baseUrl: {
    id: 'base-url',
    title: 'The base URL has no _',
    async run({ baseUrl }) {
      if (baseUrl.includes('_')) throw new CheckFailed(`${baseUrl} has a _`);
    },
  },
  refused: {
    id: 'refused-credential',
    title: 'A wrong credential is 401 with a SCIM error',
    async run({ send, mark }) {
      const path = toSearch('Users', `userName eq "${mark}-nobody"`);
      assertError(await send('GET', path, { headers: { authorization: 'non-token' } }), 401);
    },
  },
  clientCredentials: {
    id: 'client-credentials',
    title: 'OAuth client credentials open SCIM, for an hour to six',
    async run(stage) {
      const { id, secret } = await stage.makeClient();
      const basic = Buffer.from(`${id}:${secret}`).toString('base64');
      const answer = await stage.send('POST', toOwnUrl(stage, '/oauth/token'), {
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
        headers: { authorization: `Basic ${basic}` },
      });
      const seconds = assertToken(answer);
      if (seconds < VALID_MIN || seconds > VALID_MAX) fail(answer, `expires_in is ${seconds}`);
      await assertOpens(stage, answer);
    },
  },
  clientAssertion: {
    id: 'client-assertion',
    title: 'An assertion that the client signed opens SCIM, with the scope scim',
    async run(stage) {
      const metadata = await readMetadata(stage);
      const { privateKey, publicKey } = await generateKeyPair('ES256');
      const key = { ...(await exportJWK(publicKey)), kid: stage.mark, alg: 'ES256' };
      const { kty = '', crv = '', x = '', y = '', kid, alg } = key;
      const { id } = await stage.makeClient({ jwks: { keys: [{ kty, crv, x, y, kid, alg }] } });
      const assertion = await new SignJWT({ jti: randomUUID() })
        .setProtectedHeader({ alg, kid })
        .setIssuer(id)
        .setSubject(id)
        .setAudience(String(findAt(metadata.body, 'token_endpoint')))
        .setIssuedAt()
        .setExpirationTime(ASSERTION)
        .sign(privateKey);
      const answer = await stage.send('POST', toOwnUrl(stage, '/oauth/token'), {
        body: new URLSearchParams({
          ...{ grant_type: 'client_credentials', client_id: id, scope: 'scim' },
          ...{ client_assertion_type: BEARER, client_assertion: assertion },
        }),
        headers: { authorization: undefined },
      });
      assertToken(answer);
      assertAt(answer, 'scope', 'scim');
      await assertOpens(stage, answer);
    },
  },
  metadata: {
    id: 'oauth-metadata',
    title: 'The metadata of OAuth has a token_endpoint',
    async run(stage) {
      await readMetadata(stage);
    },
  },
} as const satisfies Record<string, Check>;

async function readMetadata(stage: Stage): Promise<Answer> {
  const path = toOwnUrl(stage, '/.well-known/oauth-authorization-server');
  const answer = await stage.send('GET', path, { headers: { authorization: undefined } });
  assertStatus(answer, 200);
  assertFilled(answer, 'token_endpoint');
  return answer;
}

/** Asserts that there is an access token, and gives its seconds. */
function assertToken(answer: Answer): number {
  assertStatus(answer, 200);
  assertFilled(answer, 'access_token');
  const seconds = findAt(answer.body, 'expires_in');
  if (typeof seconds !== 'number') fail(answer, 'expires_in is no number');
  answer.parts.push(`expires_in is ${seconds}`);
  return seconds;
}

async function assertOpens(stage: Stage, answer: Answer): Promise<void> {
  const authorization = `Bearer ${String(findAt(answer.body, 'access_token'))}`;
  const path = toSearch('Users', `userName eq "${stage.mark}-nobody"`);
  assertStatus(await stage.send('GET', path, { headers: { authorization } }), 200);
}

/** Address beside the SCIM base URL. */
function toOwnUrl({ baseUrl }: Stage, path: string): string {
  return `${baseUrl.replace(/\/scim\/v2$/, '')}${path}`;
}
