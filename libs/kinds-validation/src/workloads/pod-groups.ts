import type {
  GangSchedulingPolicy,
  PodGroup,
  PodGroupResourceClaim,
  PodGroupResourceClaimStatus,
  PodGroupSchedulingConstraints,
  PodGroupSchedulingPolicy,
  PodGroupSpec,
  PodGroupStatus,
  PodGroupTemplate,
  PodGroupTemplateReference,
  TopologyConstraint,
  TypedLocalObjectReference,
  Workload,
  WorkloadPodGroupTemplateReference,
  WorkloadSpec,
} from '@apichain/api/scheduling/v1alpha2';
import { highestUserPriority } from '@apichain/component-helpers';
import { field, isQualifiedName, isValidPathSegmentName, type FieldError } from '@apichain/meta';
import { conditionErrors } from '../common/conditions.ts';
import {
  atMost,
  declaredErrors,
  each,
  type FieldRules,
  format,
  immutableField,
  longName,
  maximum,
  members,
  minimum,
  oneOf,
  optional,
  optionalPointer,
  required,
  shortName,
  union,
  unique,
} from '../common/declarative.ts';
import { checkEach, collect } from '../common/rules.ts';

/* Workloads and PodGroups of scheduling.k8s.io/v1alpha2. After its declarative validation and pkg/apis/scheduling/validation of kubernetes 1.36. */

const pathSegment = format(isValidPathSegmentName);
const lowestPriority = -2147483648;
const mostClaims = 4;
const mostTemplates = 8;

const schedulingPolicy = members<PodGroupSchedulingPolicy>(
  {
    gang: {
      first: [optionalPointer],
      then: [members<GangSchedulingPolicy>({ minCount: { first: [required], then: [minimum(1)] } })],
    },
  },
  union('basic', 'gang'),
);

const constraints = members<PodGroupSchedulingConstraints>({
  topology: {
    first: [atMost(1), optional],
    then: [each(members<TopologyConstraint>({ key: { first: [required], then: [format(isQualifiedName)] } }))],
  },
});

const claim = members<PodGroupResourceClaim>(
  {
    name: { first: [required], then: [shortName] },
    resourceClaimName: { first: [optionalPointer], then: [longName] },
    resourceClaimTemplateName: { first: [optionalPointer], then: [longName] },
  },
  union('resourceClaimName', 'resourceClaimTemplateName'),
);

const claims: FieldRules<readonly PodGroupResourceClaim[]> = {
  first: [immutableField, atMost(mostClaims), optional],
  then: [unique('name'), each(claim, 'name')],
};
const disruptionModes = oneOf('Pod', 'PodGroup');
const priority = [maximum(highestUserPriority), minimum(lowestPriority)];

const podGroupTemplate = members<PodGroupTemplate>({
  name: { first: [required], then: [shortName] },
  schedulingPolicy: { then: [schedulingPolicy] },
  schedulingConstraints: { first: [optionalPointer], then: [constraints] },
  resourceClaims: claims,
  disruptionMode: { first: [optionalPointer], then: [disruptionModes] },
  priorityClassName: { first: [optional], then: [longName] },
  priority: { first: [optionalPointer], then: priority },
});

const workload = members<Workload>({
  spec: {
    then: [
      members<WorkloadSpec>({
        controllerRef: {
          first: [immutableField, optionalPointer],
          then: [
            members<TypedLocalObjectReference>({
              apiGroup: { first: [optional], then: [longName] },
              kind: { first: [required], then: [pathSegment] },
              name: { first: [required], then: [pathSegment] },
            }),
          ],
        },
        podGroupTemplates: {
          first: [immutableField, atMost(mostTemplates), required],
          then: [unique('name'), each(podGroupTemplate, 'name')],
        },
      }),
    ],
  },
});

const templateReference = members<PodGroupTemplateReference>(
  {
    workload: {
      first: [optionalPointer],
      then: [
        members<WorkloadPodGroupTemplateReference>({
          workloadName: { first: [required], then: [longName] },
          podGroupTemplateName: { first: [required], then: [shortName] },
        }),
      ],
    },
  },
  union('workload'),
);

const podGroup = members<PodGroup>({
  spec: {
    then: [
      members<PodGroupSpec>({
        podGroupTemplateRef: { first: [immutableField, optionalPointer], then: [templateReference] },
        schedulingPolicy: { first: [immutableField], then: [schedulingPolicy] },
        schedulingConstraints: { first: [optionalPointer, immutableField], then: [constraints] },
        resourceClaims: claims,
        disruptionMode: { first: [optionalPointer, immutableField], then: [disruptionModes] },
        priorityClassName: { first: [optional, immutableField], then: [longName] },
        priority: { first: [optionalPointer, immutableField], then: priority },
      }),
    ],
  },
  status: {
    then: [
      members<PodGroupStatus>({
        resourceClaimStatuses: {
          first: [atMost(mostClaims), optional],
          then: [
            unique('name'),
            each(
              members<PodGroupResourceClaimStatus>({
                resourceClaimName: { first: [optionalPointer], then: [longName] },
              }),
              'name',
            ),
          ],
        },
      }),
    ],
  },
});

export const validateWorkload = (object: Workload, old?: Workload): FieldError[] =>
  declaredErrors(workload, object, old);

export const validatePodGroup = (group: PodGroup, old?: PodGroup): FieldError[] => declaredErrors(podGroup, group, old);

/** The status must name claims as the spec does. */
export function validatePodGroupStatus(group: PodGroup, old: PodGroup): FieldError[] {
  const names = new Set((group.spec?.resourceClaims ?? []).map(({ name }) => name ?? ''));
  return [
    ...collect((out) => {
      conditionErrors(out, 'status.conditions', group.status?.conditions);
      checkEach(out, group.status?.resourceClaimStatuses ?? [], (out, status, i) => {
        const detail = 'must match the name of an entry in `spec.resourceClaims`';
        if (names.has(status.name ?? '')) return;
        out.push(field.invalid(`status.resourceClaimStatuses[${i}].name`, status.name ?? '', detail));
      });
    }),
    ...declaredErrors(podGroup, group, old),
  ];
}
