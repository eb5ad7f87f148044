# <namespace of the Cluster>/<name of the Cluster>:<engine>/<name of the queue>
terraform import k0smos_queue.speech train/train:kai/speech-quebec-a100
