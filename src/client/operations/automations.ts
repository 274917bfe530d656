// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `automations.createAutomation`. */
export interface AutomationsCreateAutomationArguments {
  readonly path: {
    readonly space_id: number;
  };
  readonly body: {
    readonly type: 'on_action' | 'on_date' | 'on_demand';
    readonly name?: string | undefined;
    readonly trigger?: object | undefined;
    readonly conditions?: object | undefined;
    readonly actions: readonly object[];
  };
}

/** Answer of `automations.createAutomation`. */
export interface AutomationsCreateAutomationAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.automation_uid`. */
  id: string;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from its name. */
  space_uid: string | null;
  /** Inferred from its name. */
  updater_id: number | string | null;
  /** Inferred from `body.name`. */
  name: string | null;
  status: unknown;
  trigger: unknown;
  actions: unknown;
  conditions: unknown;
  /** Inferred from `body.type`. */
  type: string | null;
  sort_order: unknown;
}

/** Arguments of `automations.deleteAutomation`. */
export interface AutomationsDeleteAutomationArguments {
  readonly path: {
    readonly space_id: number;
    readonly automation_uid: string;
  };
}

/** Answer of `automations.deleteAutomation`. */
export interface AutomationsDeleteAutomationAnswer {
  message: unknown;
}

/** Arguments of `automations.getListOfAutomations`. */
export interface AutomationsGetListOfAutomationsArguments {
  readonly path: {
    readonly space_id: number;
  };
}

/** Entry of the answer of `automations.getListOfAutomations`. */
export interface AutomationsGetListOfAutomationsEntry {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.automation_uid`. */
  id: string;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from its name. */
  space_uid: string | null;
  /** Inferred from its name. */
  updater_id: number | string | null;
  /** Inferred from `body.name`. */
  name: string | null;
  status: unknown;
  trigger: unknown;
  actions: unknown;
  conditions: unknown;
  /** Inferred from `body.type`. */
  type: string | null;
  sort_order: unknown;
}

/** Answer of `automations.getListOfAutomations`. */
export type AutomationsGetListOfAutomationsAnswer = AutomationsGetListOfAutomationsEntry[];

/** Arguments of `automations.updateAutomation`. */
export interface AutomationsUpdateAutomationArguments {
  readonly path: {
    readonly space_id: number;
    readonly automation_uid: string;
  };
  readonly body?: {
    readonly type?: 'on_action' | 'on_date' | 'on_demand' | undefined;
    readonly name?: string | undefined;
    readonly trigger?: object | undefined;
    readonly conditions?: object | undefined;
    readonly actions?: readonly object[] | undefined;
  } | undefined;
}

/** Answer of `automations.updateAutomation`. */
export interface AutomationsUpdateAutomationAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.automation_uid`. */
  id: string;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from its name. */
  space_uid: string | null;
  /** Inferred from its name. */
  updater_id: number | string | null;
  /** Inferred from `body.name`. */
  name: string | null;
  status: unknown;
  trigger: unknown;
  actions: unknown;
  conditions: unknown;
  /** Inferred from `body.type`. */
  type: string | null;
  sort_order: unknown;
}

/** Operations of `client.automations`. */
export interface AutomationsOperations {
  /**
   * Creates an automation.
   *
   * `POST /spaces/{space_id}/automations`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `space_id`; `body`: `type` (required), `name`, `trigger`, `conditions`,
   * `actions` (required)
   */
  readonly createAutomation: Call<AutomationsCreateAutomationArguments, AutomationsCreateAutomationAnswer>;

  /**
   * Deletes an automation.
   *
   * `DELETE /spaces/{space_id}/automations/{automation_uid}`
   *
   * @param args `path`: `space_id`, `automation_uid`
   */
  readonly deleteAutomation: Call<AutomationsDeleteAutomationArguments, AutomationsDeleteAutomationAnswer | undefined>;

  /**
   * All automations of a space, in one answer.
   *
   * `GET /spaces/{space_id}/automations`
   *
   * @param args `path`: `space_id`
   */
  readonly getListOfAutomations: Call<AutomationsGetListOfAutomationsArguments, AutomationsGetListOfAutomationsAnswer>;

  /**
   * Changes an automation.
   *
   * `PATCH /spaces/{space_id}/automations/{automation_uid}`
   *
   * @param args `path`: `space_id`, `automation_uid`; `body`: `type`, `name`, `trigger`,
   * `conditions`, `actions`
   */
  readonly updateAutomation: Call<AutomationsUpdateAutomationArguments, AutomationsUpdateAutomationAnswer>;
}
