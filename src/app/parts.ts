import type { Access } from '../access/access.ts';
import type { Attempts } from '../access/attempts.ts';
import type { ApiSource } from '../ops/api/routes.ts';
import type { StoredRequestLog } from '../ops/requests/request-log.ts';
import type { Reconciler } from '../reconcile/loop/reconciler.ts';
import type { Sweeps } from '../reconcile/loop/sweeps.ts';
import type { FirstRead } from '../reconcile/read/first-read.ts';
import type { DriftKeeper } from '../reconcile/repair/keeper.ts';
import type { Recovery } from '../reconcile/repair/recovery.ts';
import type { ProviderWatch } from '../reconcile/repair/watch.ts';
import type { SectionView } from '../reconcile/sections.ts';
import type { WriteGuard } from '../reconcile/write-guard.ts';
import type { Rules } from '../rules/rules.ts';
import type { Transport } from '../upstream/transport.ts';

/** What serves is made from. */
export interface BridgeParts {
  readonly access: Access;
  readonly attempts: Attempts;
  readonly upstream: Transport;
  readonly callForOperator: ApiSource['call'];
  readonly rules: Rules;
  readonly reconciler: Reconciler;
  readonly firstRead: FirstRead;
  readonly recovery: Recovery;
  readonly sweeps: Sweeps;
  readonly keeper: DriftKeeper;
  readonly sections: SectionView;
  readonly guard: WriteGuard;
  readonly requests: StoredRequestLog;
  readonly watch: ProviderWatch;
  readonly isDraining: () => boolean;
}
