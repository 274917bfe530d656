import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** A host that is called has an address that the settings refuse. */
export class PrivateAddress extends Error {
  override readonly name = 'PrivateAddress';
  constructor() {
    super('the host has an address of a private network, which the settings refuse');
  }
}

/**
 * Networks that are not the internet; of IPv6 all but 2000::/3, and there those that carry an IPv4 address or none.
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry, iana-ipv6-special-registry (read 2026-11-22)
 */
const PRIVATE = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/3',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '4000::/2',
  '8000::/1',
];

/** Checks of addresses. */
export interface AddressGuard {
  /** Looks a name up; fails where any of its addresses is private. */
  readonly lookup: LookupFunction;
  /** @throws PrivateAddress for an address that stands in place of a name, which nothing looks up */
  assertHost(hostname: string): void;
}

/** Creates the guard that keeps requests away from private networks. */
export function createAddressGuard(): AddressGuard {
  // Apart, because an IPv4 address is also checked in its form of IPv6.
  const blocked = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const range of PRIVATE) {
    const [network = '', bits] = range.split('/');
    const family = network.includes(':') ? 'ipv6' : 'ipv4';
    blocked[family].addSubnet(network, Number(bits), family);
  }
  const isPrivate = (address: string) => {
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    return blocked[family].check(address, family);
  };

  return {
    lookup(hostname, options, callback) {
      lookup(hostname, { ...options, all: true }, (error, found) => {
        if (error !== null) return callback(error, '');
        if (found.some(({ address }) => isPrivate(address))) {
          return callback(new PrivateAddress(), '');
        }
        const [first] = found;
        if (options.all === true) return callback(null, found);
        return callback(null, first?.address ?? '', first?.family);
      });
    },
    assertHost(hostname) {
      const bare = hostname.replace(/^\[(.*)\]$/, '$1');
      if (isIP(bare) !== 0 && isPrivate(bare)) throw new PrivateAddress();
    },
  };
}
