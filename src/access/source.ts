/** Groups of an IPv6 address, and how many of them name the network. */
const GROUPS = 8;
const NETWORK_GROUPS = 4;

/**
 * The source behind an address: one IPv4 address, or one IPv6 network, whose user may have any address in it.
 * @see RFC 4291 §2.2 (text forms), RFC 6177 §2 (a site has at least a /64)
 */
export function toSource(remoteAddress: string): string {
  const address = remoteAddress.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (!address.includes(':')) return address;
  const [begin = [], end = []] = address.split('::').map(toGroups);
  const zeros = Array.from({ length: Math.max(GROUPS - begin.length - end.length, 0) }, () => '0');
  return `${[...begin, ...zeros, ...end].slice(0, NETWORK_GROUPS).join(':')}::/64`;
}

function toGroups(text: string): string[] {
  return text.split(':').filter((group) => group !== '');
}
