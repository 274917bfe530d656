// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `spaceTemplateChecklistItems.createNewSpaceTemplateChecklistItem`. */
export interface SpaceTemplateChecklistItemsCreateNewSpaceTemplateChecklistItemArguments {
  readonly path: {
    readonly space_uid: string;
    readonly template_checklist_uid: string;
  };
  readonly body: {
    readonly text: string;
    readonly sort_order?: number | undefined;
  };
}

/** Answer of `spaceTemplateChecklistItems.createNewSpaceTemplateChecklistItem`. */
export interface SpaceTemplateChecklistItemsCreateNewSpaceTemplateChecklistItemAnswer {
  /** Inferred from its name. */
  uid: string;
  /** Inferred from `body.text`. */
  text: string | null;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from the parameters called `user_id`. */
  user_id: number | null;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
}

/** Arguments of `spaceTemplateChecklistItems.removeSpaceTemplateChecklistItem`. */
export interface SpaceTemplateChecklistItemsRemoveSpaceTemplateChecklistItemArguments {
  readonly path: {
    readonly space_uid: string;
    readonly template_checklist_uid: string;
    readonly item_uid: string;
  };
}

/** Answer of `spaceTemplateChecklistItems.removeSpaceTemplateChecklistItem`. */
export interface SpaceTemplateChecklistItemsRemoveSpaceTemplateChecklistItemAnswer {
  /** Inferred from its name. */
  uid: string;
}

/** Arguments of `spaceTemplateChecklistItems.updateSpaceTemplateChecklistItem`. */
export interface SpaceTemplateChecklistItemsUpdateSpaceTemplateChecklistItemArguments {
  readonly path: {
    readonly space_uid: string;
    readonly template_checklist_uid: string;
    readonly item_uid: string;
  };
  readonly body?: {
    readonly text?: string | undefined;
    readonly sort_order?: number | undefined;
  } | undefined;
}

/** Answer of `spaceTemplateChecklistItems.updateSpaceTemplateChecklistItem`. */
export interface SpaceTemplateChecklistItemsUpdateSpaceTemplateChecklistItemAnswer {
  /** Inferred from its name. */
  uid: string;
  /** Inferred from `body.text`. */
  text: string | null;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from the parameters called `user_id`. */
  user_id: number | null;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
}

/** Operations of `client.spaceTemplateChecklistItems`. */
export interface SpaceTemplateChecklistItemsOperations {
  /**
   * Adds an item.
   *
   * `POST /spaces/{space_uid}/template-checklists/{template_checklist_uid}/items`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `space_uid`, `template_checklist_uid`; `body`: `text` (required),
   * `sort_order`
   */
  readonly createNewSpaceTemplateChecklistItem: Call<SpaceTemplateChecklistItemsCreateNewSpaceTemplateChecklistItemArguments, SpaceTemplateChecklistItemsCreateNewSpaceTemplateChecklistItemAnswer>;

  /**
   * Removes an item.
   *
   * `DELETE /spaces/{space_uid}/template-checklists/{template_checklist_uid}/items/{item_uid}`
   *
   * @param args `path`: `space_uid`, `template_checklist_uid`, `item_uid`
   */
  readonly removeSpaceTemplateChecklistItem: Call<SpaceTemplateChecklistItemsRemoveSpaceTemplateChecklistItemArguments, SpaceTemplateChecklistItemsRemoveSpaceTemplateChecklistItemAnswer | undefined>;

  /**
   * Changes an item.
   *
   * `PATCH /spaces/{space_uid}/template-checklists/{template_checklist_uid}/items/{item_uid}`
   *
   * @param args `path`: `space_uid`, `template_checklist_uid`, `item_uid`; `body`: `text`,
   * `sort_order`
   */
  readonly updateSpaceTemplateChecklistItem: Call<SpaceTemplateChecklistItemsUpdateSpaceTemplateChecklistItemArguments, SpaceTemplateChecklistItemsUpdateSpaceTemplateChecklistItemAnswer>;
}
