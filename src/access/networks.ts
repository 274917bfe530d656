import { BlockList, isIP } from 'node:net';
import type { Response } from 'express';
import type { CredentialRow } from '../store/credentials.ts';
import { getRequestContext, setRequestContext } from '../telemetry/request-context.ts';

/** The answer to a request that presents a credential. */
export type Presented = Pick<Response, 'locals'>;

/** True for a network, or a single address. @see RFC 4632 §3.1, RFC 4291 §2.3 */
export function isNetwork(text: string): boolean {
  try {
    addNetwork(new BlockList(), text);
    return true;
  } catch {
    return false;
  }
}

/** True if a right credential comes from one of its networks; otherwise the request is noted for the log. */
export function comesFromOwn(
  { networks }: Pick<CredentialRow, 'networks'>,
  credential: string,
  res: Presented,
): boolean {
  if (networks === null) return true;
  const context = getRequestContext(res);
  const list = new BlockList();
  for (const network of networks) addNetwork(list, network);
  // An IPv4-mapped IPv6 address is compared as its IPv4 one. Where the connection is lost there is no address.
  if (list.check(context.remoteAddress, toFamily(context.remoteAddress))) return true;
  setRequestContext(res, { ...context, outside: credential });
  return false;
}

/** @throws TypeError, RangeError for what is no network */
function addNetwork(list: BlockList, network: string): void {
  const [, address = '', bits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(network) ?? [];
  if (bits === undefined) list.addAddress(address, toFamily(address));
  else list.addSubnet(address, Number(bits), toFamily(address));
}

const toFamily = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
