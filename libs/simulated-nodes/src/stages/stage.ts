/** An expression in the Common Expression Language. Its variables: `self`, `now`, and for Pods and Nodes `node` and `kubelet`. */
interface StageExpression {
  readonly cel: { readonly expression: string };
}

/**
 * What happens to objects of a kind that a selector selects: after a delay, steps are taken in order. Of several stages that select an object, one is chosen
 * by weight. The shape is that of kwok's Stage (https://kwok.sigs.k8s.io/docs/user/stages-configuration/), with CEL in the place of Go templates and jq.
 */
export interface Stage {
  readonly apiVersion: string;
  readonly kind: 'Stage';
  readonly metadata: { readonly name: string };
  readonly spec: StageSpec;
}

/** The parts of a Stage. */
interface StageSpec {
  /** `apiGroup` is a group with a version, as in `apps/v1`; `v1` by default. */
  readonly resourceRef: { readonly apiGroup?: string; readonly kind: string };
  /** Without a selector a stage selects no object, with an empty one all objects. */
  readonly selector?: StageSelector;
  readonly weight?: number;
  readonly weightFrom?: StageExpression;
  readonly delay?: StageDelay;
  /** One step of each kind, in the order event, finalizers, delete, patches. */
  readonly next?: StageNext;
  readonly steps?: readonly StageStep[];
  /** The next stage is chosen by the response to the last write, without waiting for the watch. */
  readonly immediateNextStage?: boolean;
  /** A sign of life that is repeated: the virtual clock of a test may leave it out while nothing else happens. */
  readonly renewal?: boolean;
}

/** All parts must match. */
interface StageSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchAnnotations?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly StageMatchExpression[];
}

/** Either an expression, or a path such as `.status.phase` with an operator. */
interface StageMatchExpression {
  readonly cel?: { readonly expression: string };
  readonly key?: string;
  readonly operator?: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

/**
 * The delay is between the duration and the jitter duration, if that is longer. An expression gives a duration, a text such as `3s`, milliseconds, or the
 * timestamp at which the delay ends.
 */
interface StageDelay {
  readonly durationMilliseconds?: number;
  readonly durationFrom?: StageExpression;
  readonly jitterDurationMilliseconds?: number;
  readonly jitterDurationFrom?: StageExpression;
}

/** What happens when a stage is reached. */
interface StageNext {
  readonly event?: StageEvent;
  readonly finalizers?: StageFinalizers;
  readonly delete?: boolean;
  readonly patches?: readonly StagePatch[];
}

/** One thing that happens. */
export interface StageStep {
  readonly event?: StageEvent;
  /** Events as a list of maps with `type`, `reason`, `message` and `fieldPath`. */
  readonly eventsFrom?: StageExpression;
  readonly finalizers?: StageFinalizers;
  readonly delete?: boolean;
  readonly patch?: StagePatch;
}

/** An Event about the object. */
interface StageEvent {
  readonly type?: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message?: string;
  readonly messageFrom?: StageExpression;
}

/** A change of the finalizers of the object. */
interface StageFinalizers {
  readonly add?: readonly { readonly value: string }[];
  readonly remove?: readonly { readonly value: string }[];
  readonly empty?: boolean;
}

/** A patch whose value an expression gives. `root` is the member of the object that the value is for, such as `status`. */
interface StagePatch {
  readonly subresource?: string;
  readonly root?: string;
  /** Default: merge. */
  readonly type?: 'json' | 'merge' | 'strategic';
  readonly cel: { readonly expression: string };
  /** The user who writes. */
  readonly impersonation?: { readonly username: string };
}
