import { type JsonObject, type KubeObject, isJsonObject, isQuantity, objectOrEmpty } from '@outrigger/core';

/** The path of the pod spec in each kind that has one. */
const POD_SPECS: Readonly<Record<string, readonly string[]>> = {
  'v1/Pod': ['spec'],
  'apps/v1/Deployment': ['spec', 'template', 'spec'],
  'apps/v1/DaemonSet': ['spec', 'template', 'spec'],
  'apps/v1/StatefulSet': ['spec', 'template', 'spec'],
  'apps/v1/ReplicaSet': ['spec', 'template', 'spec'],
  'batch/v1/Job': ['spec', 'template', 'spec'],
  'batch/v1/CronJob': ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
};

/** Checks rules about pods that kube-apiserver enforces but the schema does not contain. */
export function podProblems(object: KubeObject): readonly string[] {
  const { apiVersion, kind } = object;
  const steps = POD_SPECS[`${apiVersion}/${kind}`];
  if (!steps) return [];
  if (!('spec' in object)) return ['spec: a value is required, and there is none'];
  const path = steps.join('.');
  const pod = steps.reduce<unknown>((parent, step) => (isJsonObject(parent) ? parent[step] : undefined), object);
  if (!isJsonObject(pod)) return [];
  return [
    ...containerProblems(pod, path),
    ...restartProblems(pod, path, { apiVersion, kind }),
    ...volumeProblems(pod, path, claimedVolumes(object)),
  ];
}

function containerProblems(pod: JsonObject, path: string): readonly string[] {
  const isEmpty = Array.isArray(pod['containers']) && pod['containers'].length === 0;
  const none = isEmpty ? [`${path}.containers: a pod needs at least one container`] : [];
  return [
    ...none,
    ...containersOf(pod, path).flatMap(({ container, path: own }) => [
      ...imageProblems(container, own),
      ...quantityProblems(container, own),
    ]),
  ];
}

function imageProblems(container: JsonObject, path: string): readonly string[] {
  const { image } = container;
  return image === undefined || image === null || image === '' ? [`${path}.image: a value is required, and there is none`] : [];
}

function quantityProblems({ resources }: JsonObject, path: string): readonly string[] {
  if (!isJsonObject(resources)) return [];
  return ['requests', 'limits'].flatMap((list) =>
    Object.entries(objectOrEmpty(resources[list]))
      .filter(([, value]) => typeof value === 'string' && !value.includes('{{') && !isQuantity(value))
      .map(([name, value]) => `${path}.resources.${list}[${name}]: ${JSON.stringify(value)}: use a quantity such as 500m, 2 or 128Mi`),
  );
}

function restartProblems(
  { restartPolicy }: JsonObject,
  path: string,
  { apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>,
): readonly string[] {
  if (apiVersion === 'batch/v1' && (restartPolicy === undefined || restartPolicy === 'Always'))
    return [`${path}.restartPolicy: the pods of a ${kind} need OnFailure or Never`];
  const isOther = restartPolicy === 'OnFailure' || restartPolicy === 'Never';
  return apiVersion === 'apps/v1' && isOther ? [`${path}.restartPolicy: the pods of a ${kind} need Always; remove ${restartPolicy}`] : [];
}

function volumeProblems(pod: JsonObject, path: string, claimed: readonly string[]): readonly string[] {
  const volumes = [...namesIn(pod['volumes']), ...claimed];
  return containersOf(pod, path).flatMap(({ container, path: own }) =>
    namesIn(container['volumeMounts']).flatMap((name, index) =>
      volumes.includes(name) || name.includes('{{')
        ? []
        : [
            `${own}.volumeMounts[${index}].name: the pod has no volume ${JSON.stringify(name)}${volumes.length > 0 ? `; it has ${volumes.join(', ')}` : ''}`,
          ],
    ),
  );
}

/** Returns the volumes that a StatefulSet adds: one for each of its claim templates. */
function claimedVolumes({ spec }: KubeObject & { readonly spec?: unknown }): readonly string[] {
  const claims: unknown = isJsonObject(spec) ? spec['volumeClaimTemplates'] : undefined;
  return Array.isArray(claims) ? claims.flatMap((claim) => (isJsonObject(claim) ? namesIn([claim['metadata']]) : [])) : [];
}

function containersOf(pod: JsonObject, path: string): readonly { readonly container: JsonObject; readonly path: string }[] {
  return ['containers', 'initContainers'].flatMap((list) => {
    const containers: unknown = pod[list];
    if (!Array.isArray(containers)) return [];
    return containers.flatMap((container: unknown, index) =>
      isJsonObject(container) ? [{ container, path: `${path}.${list}[${index}]` }] : [],
    );
  });
}

function namesIn(list: unknown): readonly string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((one: unknown) => (isJsonObject(one) && typeof one['name'] === 'string' ? [one['name']] : []));
}
