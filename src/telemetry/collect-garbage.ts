import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Frees what nobody uses any more, which takes from milliseconds to a second. V8 does it by itself only when it needs
 * the room, so that until then nobody knows how much memory is in use; Node has no other way to ask for it at run time.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}
