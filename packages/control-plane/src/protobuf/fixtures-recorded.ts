import type { Json } from '@outrigger/core';

/** Objects recorded from a real server (v1.35.4), as protobuf and as JSON. */
export const RECORDED: readonly { readonly kind: string; readonly bytes: string; readonly object: Json }[] = [
  {
    kind: 'Deployment',
    bytes:
      'azhzAAoVCgdhcHBzL3YxEgpEZXBsb3ltZW50EpoDClIKA3JlYxIAGgdkZWZhdWx0IgAqJGE1Yjk3MjhkLWZjOGUtNDE2Zi04MTdiLTE4N2RlYzAzMDdkYTIEMTE3NjgBQggI9onm1wYQAFoGCgFhEgFiErUCCAASCgoICgNhcHASAXgajwIKGgoAEgAaACIAKgAyADgAQgBaCAoDYXBwEgF4EvABCgkKAXYSBBICCgASnAEKAWMSA2k6MSoAMhAKA3dlYhAAGFAiA1RDUCoAOhMKAUESABoMIgoKAwoBcxIBaxgBQg8KDQoDY3B1EgYKBDUwMG1aJAoYEhYKAS8SCQgBEAAaA3dlYhoAIgRIVFRQEAAYASAKKAEwA2oUL2Rldi90ZXJtaW5hdGlvbi1sb2dyDElmTm90UHJlc2VudIABAIgBAJABAKIBBEZpbGUaBkFsd2F5cyAeMgxDbHVzdGVyRmlyc3RCAEoAUgBYAGAAaAByAIIBAIoBAJoBEWRlZmF1bHQtc2NoZWR1bGVyqAEAwgEAIgoKCFJlY3JlYXRlKAAwCjgASNgEGgwIABAAGAAgACgAOAAaACIA',
    object: {
      kind: 'Deployment',
      apiVersion: 'apps/v1',
      metadata: {
        name: 'rec',
        namespace: 'default',
        uid: 'a5b9728d-fc8e-416f-817b-187dec0307da',
        resourceVersion: '1176',
        generation: 1,
        creationTimestamp: '2026-11-15T10:09:58Z',
        labels: {
          a: 'b',
        },
      },
      spec: {
        replicas: 0,
        selector: {
          matchLabels: {
            app: 'x',
          },
        },
        template: {
          metadata: {
            labels: {
              app: 'x',
            },
          },
          spec: {
            volumes: [
              {
                name: 'v',
                emptyDir: {},
              },
            ],
            containers: [
              {
                name: 'c',
                image: 'i:1',
                ports: [
                  {
                    name: 'web',
                    containerPort: 80,
                    protocol: 'TCP',
                  },
                ],
                env: [
                  {
                    name: 'A',
                    valueFrom: {
                      secretKeyRef: {
                        name: 's',
                        key: 'k',
                        optional: true,
                      },
                    },
                  },
                ],
                resources: {
                  limits: {
                    cpu: '500m',
                  },
                },
                readinessProbe: {
                  httpGet: {
                    path: '/',
                    port: 'web',
                    scheme: 'HTTP',
                  },
                  timeoutSeconds: 1,
                  periodSeconds: 10,
                  successThreshold: 1,
                  failureThreshold: 3,
                },
                terminationMessagePath: '/dev/termination-log',
                terminationMessagePolicy: 'File',
                imagePullPolicy: 'IfNotPresent',
              },
            ],
            restartPolicy: 'Always',
            terminationGracePeriodSeconds: 30,
            dnsPolicy: 'ClusterFirst',
            automountServiceAccountToken: false,
            securityContext: {},
            schedulerName: 'default-scheduler',
          },
        },
        strategy: {
          type: 'Recreate',
        },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
      },
      status: {},
    },
  },
  {
    kind: 'Service',
    bytes:
      'azhzAAoNCgJ2MRIHU2VydmljZRK9AQpKCgNyZWMSABoHZGVmYXVsdCIAKiQxYWI4YjBmNy0xM2MwLTQyYzYtODYyYS1jZDBlODE3Yzk5MzMyBDExNzk4AEIICPaJ5tcGEAASawoWCgASA1RDUBhQIgkIARAAGgN3ZWIoABoETm9uZSIJQ2x1c3RlcklQOgROb25lQgBSAFoAYABoAIoBEFJlcXVpcmVEdWFsU3RhY2uSAQROb25lmgEESVB2NJoBBElQdjayAQdDbHVzdGVyGgIKABoAIgA=',
    object: {
      kind: 'Service',
      apiVersion: 'v1',
      metadata: {
        name: 'rec',
        namespace: 'default',
        uid: '1ab8b0f7-13c0-42c6-862a-cd0e817c9933',
        resourceVersion: '1179',
        creationTimestamp: '2026-11-15T10:09:58Z',
      },
      spec: {
        ports: [
          {
            protocol: 'TCP',
            port: 80,
            targetPort: 'web',
          },
        ],
        clusterIP: 'None',
        clusterIPs: ['None'],
        type: 'ClusterIP',
        sessionAffinity: 'None',
        ipFamilies: ['IPv4', 'IPv6'],
        ipFamilyPolicy: 'RequireDualStack',
        internalTrafficPolicy: 'Cluster',
      },
      status: {
        loadBalancer: {},
      },
    },
  },
  {
    kind: 'Secret',
    bytes:
      'azhzAAoMCgJ2MRIGU2VjcmV0EmwKSgoDcmVjEgAaB2RlZmF1bHQiACokOGI1MmFjN2YtZmQxZS00OTk4LTkzMTktNWQzMjQwNzFkMTk5MgQxMTgyOABCCAj2iebXBhAAEgkKAWESBAABAv8SCQoFZW1wdHkSABoGT3BhcXVlKAAaACIA',
    object: {
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: {
        name: 'rec',
        namespace: 'default',
        uid: '8b52ac7f-fd1e-4998-9319-5d324071d199',
        resourceVersion: '1182',
        creationTimestamp: '2026-11-15T10:09:58Z',
      },
      immutable: false,
      data: {
        a: 'AAEC/w==',
        empty: '',
      },
      type: 'Opaque',
    },
  },
  {
    kind: 'Lease',
    bytes:
      'azhzAAofChZjb29yZGluYXRpb24uazhzLmlvL3YxEgVMZWFzZRJhCkoKA3JlYxIAGgdkZWZhdWx0IgAqJDkzNmMxNmY3LWQ5NTgtNGVlYi1iOWMzLWU5YTM4ZGJmN2EyOTIEMTE4NTgAQggI9onm1wYQABITCgFoEA8iDAil69zKBhCI6tzDAhoAIgA=',
    object: {
      kind: 'Lease',
      apiVersion: 'coordination.k8s.io/v1',
      metadata: {
        name: 'rec',
        namespace: 'default',
        uid: '936c16f7-d958-4eeb-b9c3-e9a38dbf7a29',
        resourceVersion: '1185',
        creationTimestamp: '2026-11-15T10:09:58Z',
      },
      spec: {
        holderIdentity: 'h',
        leaseDurationSeconds: 15,
        renewTime: '2026-01-02T03:04:05.678901Z',
      },
    },
  },
  {
    kind: 'RoleBinding',
    bytes:
      'azhzAAorChxyYmFjLmF1dGhvcml6YXRpb24uazhzLmlvL3YxEgtSb2xlQmluZGluZxKsAQpbCgNyZWMSABoHZGVmYXVsdCIAKiRjN2E2YWNjNy00YTU5LTQ3ODctOGQ3Ni1kZGE4NzIxYTAwMTYyBDExODg4AEIICPaJ5tcGEABqDwoBWBoBeCIBdSoCdjEwABInCgVHcm91cBIZcmJhYy5hdXRob3JpemF0aW9uLms4cy5pbxoBZyIAGiQKGXJiYWMuYXV0aG9yaXphdGlvbi5rOHMuaW8SBFJvbGUaAXIaACIA',
    object: {
      kind: 'RoleBinding',
      apiVersion: 'rbac.authorization.k8s.io/v1',
      metadata: {
        name: 'rec',
        namespace: 'default',
        uid: 'c7a6acc7-4a59-4787-8d76-dda8721a0016',
        resourceVersion: '1188',
        creationTimestamp: '2026-11-15T10:09:58Z',
        ownerReferences: [
          {
            apiVersion: 'v1',
            kind: 'X',
            name: 'x',
            uid: 'u',
            controller: false,
          },
        ],
      },
      subjects: [
        {
          kind: 'Group',
          apiGroup: 'rbac.authorization.k8s.io',
          name: 'g',
        },
      ],
      roleRef: {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: 'Role',
        name: 'r',
      },
    },
  },
];
