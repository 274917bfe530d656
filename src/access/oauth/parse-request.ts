import { OAuthError } from './errors.ts';

/** Id and secret of the client that asks for an access token. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly secret: string;
}

/** An assertion as a client presents it. */
export interface PresentedAssertion {
  /** `client_id` of the request; undefined: the subject of the assertion says it (RFC 7521 §4.2). */
  readonly clientId: string | undefined;
  readonly assertion: string;
}

/** Proof of the client that asks for an access token. */
export type ClientProof =
  | ({ readonly kind: 'secret' } & ClientCredentials)
  | ({ readonly kind: 'assertion' } & PresentedAssertion);

/** A request for an access token as it came. */
export interface TokenRequest {
  /** The header `Authorization`. */
  readonly authorization: string | undefined;
  /** The body, when it was a form. */
  readonly form: string | undefined;
}

/** Character that decoding puts in the place of bytes that are not UTF-8; no id or secret of ours contains it. */
const NO_CHARACTER = '\uFFFD';

/** The only scope there is. */
export const SCOPE = 'scim';

/** The only grant there is. */
export const GRANT = 'client_credentials';

/** The only kind of assertion there is. @see RFC 7523 §2.2 */
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/**
 * Reads the client and the grant, from HTTP Basic, from `client_id` and `client_secret` in the form, or from
 * `client_assertion`.
 * @throws OAuthError `invalid_request` for any other request, `invalid_client` when it names no client
 * @see RFC 6749 §2.3.1, §3.2, §4.4.2, RFC 7521 §4.2
 */
export function parseTokenRequest({ authorization, form }: TokenRequest): {
  readonly proof: ClientProof;
  readonly grantType: string;
  readonly scope: string | undefined;
} {
  if (form === undefined) {
    throw new OAuthError('invalid_request', 'Send a form: application/x-www-form-urlencoded.');
  }
  const fields = parseFields(form);
  const proof = parseProof(authorization, fields);
  const grantType = fields.get('grant_type');
  if (grantType === undefined) throw new OAuthError('invalid_request', 'grant_type is missing.');
  return { proof, grantType, scope: fields.get('scope') };
}

/** Refuses other grants and scopes. @throws OAuthError `unsupported_grant_type`, `invalid_scope` */
export function assertGranted(grantType: string, scope: string | undefined): void {
  if (grantType !== GRANT) {
    throw new OAuthError('unsupported_grant_type', `grant_type has to be ${GRANT}.`);
  }
  if (scope?.split(' ').some((one) => one !== SCOPE)) {
    throw new OAuthError(
      'invalid_scope',
      `The only scope is ${SCOPE}; leave it out, or ask for it.`,
    );
  }
}

/** Each field may appear once; a field without a value counts as absent. */
function parseFields(form: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  const seen = new Set<string>();
  for (const [name, value] of new URLSearchParams(form)) {
    if (seen.has(name)) {
      throw new OAuthError('invalid_request', 'A parameter is there more than once.');
    }
    if (value.includes(NO_CHARACTER)) {
      throw new OAuthError('invalid_request', 'A parameter is not UTF-8.');
    }
    seen.add(name);
    if (value !== '') fields.set(name, value);
  }
  return fields;
}

function parseProof(
  authorization: string | undefined,
  fields: ReadonlyMap<string, string>,
): ClientProof {
  const assertion = fields.get('client_assertion');
  const type = fields.get('client_assertion_type');
  if (assertion === undefined && type === undefined) {
    return { kind: 'secret', ...parseCredentials(authorization, fields) };
  }
  if (authorization !== undefined || fields.has('client_secret')) {
    const words = 'The client proves itself in two ways: use one of both.';
    throw new OAuthError('invalid_request', words);
  }
  if (assertion === undefined || type !== ASSERTION_TYPE) throw noClient();
  return { kind: 'assertion', clientId: fields.get('client_id'), assertion };
}

function parseCredentials(
  authorization: string | undefined,
  fields: ReadonlyMap<string, string>,
): ClientCredentials {
  const clientId = fields.get('client_id');
  const secret = fields.get('client_secret');
  if (authorization === undefined) {
    if (clientId === undefined || secret === undefined) throw noClient();
    return { clientId, secret };
  }
  const basic = findBasic(authorization);
  if (basic === undefined) throw noClient();
  const isOther = clientId !== undefined && clientId !== basic.clientId;
  if (secret === undefined && !isOther) return basic;
  throw new OAuthError(
    'invalid_request',
    'The client is named in the header and in the form: use one of both.',
  );
}

/** Name and password are form-encoded separately, before the colon joins them (RFC 6749 §2.3.1). */
function findBasic(authorization: string): ClientCredentials | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization) ?? [];
  if (encoded === undefined) return undefined;
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  if (colon < 1) return undefined;
  const clientId = findDecoded(pair.slice(0, colon));
  const secret = findDecoded(pair.slice(colon + 1));
  return clientId === undefined || secret === undefined ? undefined : { clientId, secret };
}

function findDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

function noClient(): OAuthError {
  return new OAuthError('invalid_client', NO_CLIENT);
}

/** One message for everything that is wrong with a client, its secret or its assertion. */
export const NO_CLIENT = 'There is no such client with this secret or assertion.';
