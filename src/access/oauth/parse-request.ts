import { Refusal } from '../refusal.ts';

/** An assertion as a client presents it. */
export interface PresentedAssertion {
  /** `client_id` of the request; undefined: the subject of the assertion says it (RFC 7521 §4.2). */
  readonly clientId: string | undefined;
  readonly assertion: string;
}

/** Proof of the client that asks for an access token. */
export type ClientProof =
  | { readonly kind: 'secret'; readonly clientId: string; readonly secret: string }
  | ({ readonly kind: 'assertion' } & PresentedAssertion);

/** Character that decoding puts in the place of bytes that are not UTF-8; no id or secret of ours contains it. */
const NO_CHARACTER = '\uFFFD';

/** The only scope there is. */
export const SCOPE = 'scim';

/** The only grant there is. */
export const GRANT = 'client_credentials';

/** The only kind of assertion there is. @see RFC 7523 §2.2 */
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** One message for everything that is wrong with a client, its secret or its assertion. */
export const NO_CLIENT = 'There is no such client with this secret or assertion.';

/**
 * Reads client and grant from HTTP Basic, the form, or `client_assertion`. @throws Refusal `invalid_request`,
 * `invalid_client` @see RFC 6749 §2.3.1, §3.2, §4.4.2, RFC 7521 §4.2
 */
export function parseTokenRequest(authorization: string | undefined, form: string | undefined) {
  if (form === undefined) throw invalid('Send a form: application/x-www-form-urlencoded.');
  const fields = parseFields(form);
  const proof = parseProof(authorization, fields);
  const grantType = fields.get('grant_type');
  if (grantType === undefined) throw invalid('grant_type is missing.');
  return { proof, grantType, scope: fields.get('scope') };
}

/** Refuses other grants and scopes. @throws Refusal `unsupported_grant_type`, `invalid_scope` */
export function assertGranted(grantType: string, scope: string | undefined): void {
  if (grantType !== GRANT)
    throw invalid(`grant_type has to be ${GRANT}.`, 'unsupported_grant_type');
  if (scope?.split(' ').some((one) => one !== SCOPE))
    throw invalid(`The only scope is ${SCOPE}; leave it out, or ask for it.`, 'invalid_scope');
}

/** Each field may appear once; a field without a value counts as absent. */
function parseFields(form: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(form)) {
    if (fields.has(name)) throw invalid('A parameter is there more than once.');
    if (value.includes(NO_CHARACTER)) throw invalid('A parameter is not UTF-8.');
    fields.set(name, value);
  }
  return new Map([...fields].filter(([, value]) => value !== ''));
}

function parseProof(
  authorization: string | undefined,
  fields: ReadonlyMap<string, string>,
): ClientProof {
  const clientId = fields.get('client_id');
  const secret = fields.get('client_secret');
  const assertion = fields.get('client_assertion');
  const type = fields.get('client_assertion_type');
  if (assertion !== undefined || type !== undefined) {
    if (authorization !== undefined || secret !== undefined)
      throw invalid('The client proves itself in two ways: use one of both.');
    if (assertion === undefined || type !== ASSERTION_TYPE) throw noClient();
    return { kind: 'assertion', clientId, assertion };
  }
  if (authorization === undefined) {
    if (clientId === undefined || secret === undefined) throw noClient();
    return { kind: 'secret', clientId, secret };
  }
  const basic = parseBasic(authorization);
  const isOther = clientId !== undefined && clientId !== basic.clientId;
  if (secret === undefined && !isOther) return { kind: 'secret', ...basic };
  throw invalid('The client is named in the header and in the form: use one of both.');
}

/** Name and password are form-encoded separately, before the colon joins them (RFC 6749 §2.3.1). */
function parseBasic(authorization: string): { clientId: string; secret: string } {
  const [, encoded = ''] = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization) ?? [];
  const [, clientId = '', secret = ''] =
    /^([^:]+):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  if (clientId === '') throw noClient();
  return { clientId: decode(clientId), secret: decode(secret) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (error) {
    throw error instanceof URIError ? noClient() : error;
  }
}

/** Codes of RFC 6749 §5.2. */
function invalid(
  words: string,
  code: 'invalid_request' | 'unsupported_grant_type' | 'invalid_scope' = 'invalid_request',
): Refusal {
  return new Refusal(400, code, words);
}

/** The same refusal for everything that is wrong with a client, its secret or its assertion. */
export const noClient = () => new Refusal(401, 'invalid_client', NO_CLIENT);
