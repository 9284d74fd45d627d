import type { PodResult, Stage } from './stage.ts';

/** What became of pods, by their names. */
export type ScenarioResult = Readonly<Record<string, PodResult>>;

/** Something that a scheduler does. It returns what became of pods by their names. */
export interface Scenario {
  readonly name: string;
  run(stage: Stage): Promise<ScenarioResult>;
}

/** A pod that cannot be scheduled on the nodes. */
export const rejection = (name: string, prepare: (stage: Stage) => Promise<void>): Scenario => ({
  name,
  async run(stage) {
    await prepare(stage);
    await stage.rejected('subject');
    await stage.recorded('subject', /FailedScheduling/);
    return { subject: await stage.result('subject') };
  },
});

/** A selector of these labels. */
export const selector = (matchLabels: Readonly<Record<string, string>>) => ({ matchLabels: { ...matchLabels } });

/** An affinity to pods with the labels, or against them. */
export const affinity = (
  kind: 'podAffinity' | 'podAntiAffinity',
  labels: Readonly<Record<string, string>>,
  topologyKey = 'kubernetes.io/hostname',
) => ({
  affinity: {
    [kind]: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: selector(labels), topologyKey }],
    },
  },
});
