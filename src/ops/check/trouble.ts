import type { UpstreamError, UpstreamErrorCode } from '../../upstream/errors.ts';

/** The meaning of a failed call for an operator, with a remedy; total. */
export function toTrouble(error: UpstreamError) {
  const { code, status, words, message, headers } = error;
  const cause = findCauseCode(error);
  if (cause !== undefined && TLS.test(cause)) {
    return { detail: `no encrypted connection can be made (${cause})`, remedy: OTHER_HOST };
  }
  // Only what the transport could not read has a status; the other was JSON of another form.
  const isOtherForm = code === 'unreadable' && status === undefined;
  const known = code === 'connection' ? CONNECTION[cause ?? ''] : REMEDIES.get(code);
  const usual = code === 'connection' ? CHECK_NETWORK : REPORT;
  const remedy = isOtherForm ? REPORT : (known ?? usual);
  if (status === undefined) {
    return { detail: cause === undefined ? message : `no answer (${cause})`, remedy };
  }
  const said = words === undefined ? '' : `: ${words}`;
  const ends = { redirected: toPlace(headers), unreadable: ', but no JSON' };
  const end = code === 'redirected' || code === 'unreadable' ? ends[code] : said;
  return { detail: `answered ${status}${end}`, remedy };
}

/** The address that a redirect names, without its query: that of a sign-in holds secrets. */
function toPlace({ location }: UpstreamError['headers']): string {
  if (typeof location !== 'string') return '';
  const target = URL.parse(location);
  return ` and sends to ${target ? target.origin + target.pathname : location.replace(/[?#].*/s, '')}`;
}

const OTHER_HOST =
  'Correct the host name in `upstream.url`, or name the file of the authority that issued the certificate in NODE_EXTRA_CA_CERTS.';
const OTHER_ADDRESS =
  'Correct `upstream.url`: what answers there is not the service but a proxy, a login page or another site.';
const REPORT =
  'The answer has a form that the bridge does not know: report it with the version of the bridge.';
const SEE_BEFORE = 'It was not tried, because of the failures before it: solve those first.';
const CHECK_NETWORK =
  'Check the network, firewalls and `upstream.proxy` between here and `upstream.url`.';
const UNKNOWN_HOST =
  'Correct the host name in `upstream.url`, or set `upstream.proxy` where only a proxy can resolve it.';

const REMEDIES: ReadonlyMap<UpstreamErrorCode, string> = new Map([
  ['credentials-refused', 'Set a valid token of the service as `upstream.token`.'],
  ['rate-limited', 'See who else uses this token; if nobody, lower `upstream.requestsPerSecond`.'],
  ['unavailable', 'The service has a problem of its own: try again later.'],
  ['timeout', 'Try again; if it lasts, raise `upstream.timeout` or look at the network between.'],
  ['redirected', OTHER_ADDRESS],
  ['unreadable', OTHER_ADDRESS],
  [
    'not-found',
    'Check `upstream.url`, and apiVersion of `upstream.quirks`: this part of the service is not there.',
  ],
  ['response-too-large', 'Lower `upstream.pageSize`.'],
  ['circuit-open', SEE_BEFORE],
  ['overloaded', SEE_BEFORE],
  ['aborted', SEE_BEFORE],
  ['closed', SEE_BEFORE],
]);

const CONNECTION: Readonly<Record<string, string>> = {
  ENOTFOUND: UNKNOWN_HOST,
  EAI_AGAIN: UNKNOWN_HOST,
  ECONNREFUSED:
    'Nothing listens there: correct host and port in `upstream.url`, or start the service.',
};

/** Codes of Node's and OpenSSL's errors; see https://nodejs.org/api/tls.html#x509-certificate-error-codes (2026-03). */
const TLS = /^(ERR_TLS|ERR_SSL|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|HOSTNAME_|EPROTO)/;

/** The first code down the chain of causes. */
function findCauseCode(error: UpstreamError): string | undefined {
  let cause: unknown = error.cause;
  for (let depth = 0; depth < 5 && cause instanceof Error; depth += 1) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
    cause = cause.cause;
  }
  return undefined;
}
