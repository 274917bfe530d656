import { PrivateAddress } from './address-guard.ts';

/** Says why a host gave no answer, without a part of its address: that of a channel is its password. */
export function toFailureWords(error: unknown): string {
  const cause = findCause(error);
  if (cause instanceof PrivateAddress) return cause.message;
  const { code } = Object(cause);
  // A timeout has a number, which tells nobody anything.
  const name = cause instanceof Error ? cause.name : 'unknown';
  return `no answer (${typeof code === 'string' ? code : name})`;
}

/** The first cause of an error. */
function findCause(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? findCause(error.cause) : error;
}
