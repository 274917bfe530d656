import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Collects garbage, which takes from milliseconds to a second. V8 does so by itself only when it needs the room, so
 * that until
 * then the memory in use is unknown; Node has no other way to ask for it at run time.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}
