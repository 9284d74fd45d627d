import type { PodResult, Stage } from './stage.ts';

/** What became of pods, by their names. */
export type ScenarioResult = Readonly<Record<string, PodResult>>;

/** Something that a scheduler does. It returns what became of pods by their names. */
export interface Scenario {
  readonly name: string;
  run(stage: Stage): Promise<ScenarioResult>;
}

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
