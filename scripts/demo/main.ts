import { parseArgs } from 'node:util';
import { DemoError } from './expect.ts';
import { playBehindTheBack } from './scenes/behind-the-back.ts';
import { playIntrusion } from './scenes/intrusion.ts';
import { playOkta } from './scenes/okta.ts';
import { createScreen } from './screen.ts';
import { createTalk } from './talk.ts';
import { openWorld } from './world.ts';

/**
 * `npm run demo [-- --fast]`: tells what the bridge does, on an imitation of the service, in half a minute. Whatever
 * is shown was asked over HTTP and is so: otherwise it ends with 1. Leaves nothing behind.
 */
const { values } = parseArgs({ options: { fast: { type: 'boolean', default: false } } });
const screen = createScreen(values.fast);

try {
  await play();
} catch (error) {
  process.exitCode = 1;
  screen.fail(`The demo failed: ${toText(error)}`);
}

async function play(): Promise<void> {
  const world = await openWorld();
  try {
    const talk = createTalk(world, screen);
    await playOkta(talk);
    await playBehindTheBack(talk);
    await playIntrusion(talk);
  } finally {
    await world.stop();
  }
}

function toText(error: unknown): string {
  if (error instanceof DemoError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
