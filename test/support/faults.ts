/** The fault that has a call answered with this status, and words of the service where it says so. */
export const failing = (status: number, body?: 'message') =>
  ({ kind: 'status', status, ...(body && { body }) }) as const;

/** The fault that has a call wait for its answer until it is let go. */
export const HANGING = { kind: 'hang' } as const;
