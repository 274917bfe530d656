import { z } from 'zod';
import { duration } from '../kinds.ts';

/** The console for operators. */
export const consoleSchema = z.strictObject({
  sessionIdle: duration({ min: '1m', max: '7d' })
    .prefault('30m')
    .describe(
      'How long a sign-in to the console lasts without a request of its person; a page that refreshes itself does not count. See [console.md](console.md).',
    ),
  sessionMax: duration({ min: '5m', max: '30d' })
    .prefault('12h')
    .describe('How long a sign-in to the console lasts at most.'),
});
