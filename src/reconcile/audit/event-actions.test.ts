import { expect, test } from 'vitest';
import { isOfNothing, toActionRole } from './event-actions.ts';

test.each(['something_new', 'constructor', '__proto__'])(
  'an unlisted action may have any cause: %s',
  (action) => {
    expect(toActionRole('user.renamed', action)).toBe('vague');
    expect(isOfNothing({ category: 'publication', action })).toBe(true);
  },
);
