import type { Db } from './database.ts';

/**
 * Takes back what every managed resource waits for, and distrusts what is known of it: whoever acts on one
 * looks first. What differs from now on is acted on only where somebody names it anew.
 */
export async function holdEverything(tx: Db): Promise<void> {
  for (const table of ['users', 'groups'] as const) {
    await tx
      .updateTable(table)
      .set({
        pending: '{}',
        must_look: 1,
        due_at: null,
        attempts: 0,
        failing_since: null,
        last_error: null,
        stuck_at: null,
      })
      .where('origin', 'is not', null)
      .execute();
  }
  for (const table of ['memberships', 'group_admins'] as const) {
    await tx
      .updateTable(table)
      .set({ pending: null, retry_at: null, attempts: 0 })
      .where('pending', 'is not', null)
      .execute();
  }
}
