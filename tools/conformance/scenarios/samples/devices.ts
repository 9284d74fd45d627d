import { labels, namespaced, clusterScoped, type SampleKind } from './sample-kind.ts';

/** Kinds for devices (resource.k8s.io). */
export const devices: readonly SampleKind[] = [
  clusterScoped(
    'resource.k8s.io/v1',
    'DeviceClass',
    'deviceclasses',
    {},
    {
      rich: { spec: { selectors: [{ cel: { expression: "device.driver == 'd.example.com'" } }] } },
      invalid: { spec: { selectors: [{ cel: { expression: '1 +' } }] } },
      change: { spec: { selectors: [{ cel: { expression: 'true' } }] } },
    },
  ),
  namespaced(
    'resource.k8s.io/v1',
    'ResourceClaim',
    'resourceclaims',
    {},
    {
      rich: {
        spec: {
          devices: {
            requests: [
              {
                name: 'one',
                exactly: { deviceClassName: 'c.example.com', selectors: [{ cel: { expression: 'true' } }] },
              },
            ],
          },
        },
      },
      invalid: { spec: { devices: { requests: [{ name: 'one' }] } } },
      status: { reservedFor: [] },
    },
  ),
  namespaced(
    'resource.k8s.io/v1',
    'ResourceClaimTemplate',
    'resourceclaimtemplates',
    { spec: { spec: {} } },
    {
      rich: {
        spec: {
          metadata: { labels },
          spec: { devices: { requests: [{ name: 'one', exactly: { deviceClassName: 'c.example.com', count: 2 } }] } },
        },
      },
      invalid: {
        spec: { spec: { devices: { requests: [{ name: 'Not A Name', exactly: { deviceClassName: '' } }] } } },
      },
    },
  ),
  clusterScoped(
    'resource.k8s.io/v1',
    'ResourceSlice',
    'resourceslices',
    { spec: { driver: 'd.example.com', nodeName: 'n', pool: { name: 'p', generation: 1, resourceSliceCount: 1 } } },
    {
      rich: {
        spec: {
          driver: 'd.example.com',
          allNodes: true,
          pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
          devices: [
            {
              name: 'one',
              attributes: { model: { string: 'x' }, cores: { int: 4 } },
              capacity: { memory: { value: '1Gi' } },
            },
          ],
        },
      },
      invalid: { spec: { driver: '', pool: { name: '', resourceSliceCount: 0 } } },
      change: { spec: { pool: { generation: 2 } } },
    },
  ),
];
