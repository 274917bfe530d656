import type { UpstreamError, UpstreamErrorCode } from '../../upstream/errors.ts';

interface Trouble {
  readonly detail: string;
  readonly remedy: string;
}

/** The meaning of a failed call for an operator, with a remedy; total. */
export function toTrouble(error: UpstreamError): Trouble {
  const cause = findCauseCode(error);
  if (cause !== undefined && isTlsCode(cause)) return toTlsTrouble(cause);
  return { detail: toDetail(error, cause), remedy: toRemedy(error, cause) };
}

function toTlsTrouble(cause: string): Trouble {
  return {
    detail: `no encrypted connection can be made (${cause})`,
    remedy:
      'Correct the host name in `upstream.url`, or name the file of the authority that issued the certificate in NODE_EXTRA_CA_CERTS.',
  };
}

function toDetail(
  { code, status, words, message, headers }: UpstreamError,
  cause: string | undefined,
): string {
  if (status === undefined) return cause === undefined ? message : `no answer (${cause})`;
  if (code === 'redirected') return `answered ${status}${toPlace(headers)}`;
  const said = words === undefined ? '' : `: ${words}`;
  return code === 'unreadable' ? `answered ${status}, but no JSON` : `answered ${status}${said}`;
}

/** The address that a redirect names, without its query: that of a sign-in holds secrets. */
function toPlace({ location }: UpstreamError['headers']): string {
  if (typeof location !== 'string') return '';
  const target = URL.parse(location);
  return ` and sends to ${target ? target.origin + target.pathname : location.replace(/[?#].*/s, '')}`;
}

function toRemedy({ code, status }: UpstreamError, cause: string | undefined): string {
  if (code === 'connection') return toConnectionRemedy(cause);
  // Only what the transport could not read has a status; the other was JSON of another form.
  if (code === 'unreadable' && status === undefined) return reportIt;
  return remedies.get(code) ?? reportIt;
}

const wrongAddress =
  'Correct `upstream.url`: what answers there is not the service but a proxy, a login page or another site.';
const reportIt =
  'The answer has a form that the bridge does not know: report it with the version of the bridge.';
const seeBefore = 'It was not tried, because of the failures before it: solve those first.';

const remedies: ReadonlyMap<UpstreamErrorCode, string> = new Map([
  ['credentials-refused', 'Set a valid token of the service as `upstream.token`.'],
  ['rate-limited', 'See who else uses this token; if nobody, lower `upstream.requestsPerSecond`.'],
  ['unavailable', 'The service has a problem of its own: try again later.'],
  ['timeout', 'Try again; if it lasts, raise `upstream.timeout` or look at the network between.'],
  ['redirected', wrongAddress],
  ['unreadable', wrongAddress],
  [
    'not-found',
    'Check `upstream.url`, and apiVersion of `upstream.quirks`: this part of the service is not there.',
  ],
  ['response-too-large', 'Lower `upstream.pageSize`.'],
  ['circuit-open', seeBefore],
  ['overloaded', seeBefore],
  ['aborted', seeBefore],
  ['closed', seeBefore],
]);

function toConnectionRemedy(cause: string | undefined): string {
  switch (cause) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'Correct the host name in `upstream.url`, or set `upstream.proxy` where only a proxy can resolve it.';
    case 'ECONNREFUSED':
      return 'Nothing listens there: correct host and port in `upstream.url`, or start the service.';
    default:
      return 'Check the network, firewalls and `upstream.proxy` between here and `upstream.url`.';
  }
}

/** Codes of Node's and OpenSSL's errors; see https://nodejs.org/api/tls.html#x509-certificate-error-codes (2026-03). */
function isTlsCode(cause: string): boolean {
  return /^(ERR_TLS|ERR_SSL|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|HOSTNAME_|EPROTO)/.test(cause);
}

/** The first code down the chain of causes. */
function findCauseCode(error: UpstreamError): string | undefined {
  let cause: unknown = error.cause;
  for (let depth = 0; depth < 5 && cause instanceof Error; depth += 1) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
    cause = cause.cause;
  }
  return undefined;
}
