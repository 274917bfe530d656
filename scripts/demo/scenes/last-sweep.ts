import { expectThat } from '../expect.ts';
import { readDrifts } from '../ops.ts';
import type { Talk } from '../talk.ts';

/** Everything is compared, and nothing of what is managed differs. */
export async function playLastSweep(talk: Talk): Promise<void> {
  const { screen } = talk;
  await screen.headline('A last sweep compares everything');
  const lines = await talk.run('sweep --exit-code');
  await screen.answer(...lines);
  const open = (await readDrifts(talk)).filter(({ status }) => status !== 'repaired');
  expectThat(open.length === 0, `nothing differs any more: ${JSON.stringify(open)}`);
  await screen.say(
    'Nothing that a provider asked for differs. The accounts of others are counted and left alone.',
  );
}
