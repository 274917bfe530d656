/** Headers that the client alone decides, because a call would break or lie with others. */
const OWN =
  /^(?:authorization|host|connection|transfer-encoding|accept-encoding|expect|te|upgrade|content-.*)$/;
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Adds the headers of one call to those of every call: names and values in turn.
 * @throws TypeError for a header that cannot be set or written; the value is never in it.
 */
export function addHeaders(
  pairs: readonly string[],
  added: Readonly<Record<string, string>> | undefined,
): string[] {
  if (added === undefined) return [...pairs];
  const given = Object.entries(added).map(([name, value]) => checkHeader(name, value));
  const replaced = new Set(given.map(([name]) => name));
  const kept = pairs.filter((_, n) => !replaced.has(pairs[n - (n % 2)] ?? ''));
  return [...kept, ...given.flat()];
}

function checkHeader(written: string, value: unknown): [name: string, value: string] {
  const name = written.toLowerCase();
  if (!NAME.test(name)) throw new TypeError('headers: a name is no name of a header');
  if (OWN.test(name)) throw new TypeError(`headers.${name} is set by the client`);
  if (typeof value !== 'string' || !VALUE.test(value)) {
    throw new TypeError(`headers.${name} must be text that a header can hold`);
  }
  return [name, value];
}
