import type { Projection } from '../render/projection.ts';

/** True when the request asks for nothing special, so that stored text can be sent as it is. */
export function isPlain({ only, except }: Projection): boolean {
  return only === undefined && except.size === 0;
}
