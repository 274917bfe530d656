/**
 * A path as a provider writes it, fit for a request line: only what cannot stand in a URL is percent-encoded.
 * `+`, raw brackets, a trailing `&` or `?` and what is encoded already stay, because a server must cope with them.
 */
export function toRequestTarget(path: string): string {
  return path
    .replaceAll(/%(?![0-9a-f]{2})/gi, '%25')
    .replaceAll(/[^\w\-.~:/?[\]@!$&'()*+,;=%]/gu, encodeURIComponent);
}
