import { inject } from 'vitest';

/** Tag of what only `npm run test:long` runs; also in `vitest.config.ts`. */
export const LONG = ['long'];

/** Tags of what `npm test` plays a selection of and `npm run test:long` plays in full. */
export const SELECTED = inject('isLong') ? LONG : [];
