/** States of somebody who left: the service was not seen to hold it, it was, or somebody let the person in again. */
export const LEAVER_STATUSES = ['waits', 'out', 'back'] as const;
